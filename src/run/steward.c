/* steward.c - see steward.h. */
#include "run/steward.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "run/worker.h"
#include "wire/packet.h"

enum { FAREWELL = -1, FAREWELL_US = 2 * 1000 * 1000 };

struct steward {
	struct cx_broker *broker;
	const struct cx_order_flags *flags;
	int fd;                /* to who asks */
	int child_fd;          /* signalfd: one of them has ended */
	sigset_t before;       /* the mask that workers get */
	pid_t pid[CX_STEWARD_WORKERS_MAX]; /* 0: none */
};

static void reap(struct steward *steward)
{
	struct signalfd_siginfo info;
	pid_t pid;

	while (read(steward->child_fd, &info, sizeof info) > 0)
		continue;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < CX_STEWARD_WORKERS_MAX; i++)
			if (steward->pid[i] == pid)
				steward->pid[i] = 0;
}

static void end_worker(struct steward *steward, int number)
{
	pid_t *pid = &steward->pid[number];

	if (*pid == 0)
		return;
	kill(*pid, SIGKILL);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	*pid = 0;
}

/* Should the steward die, so does the worker: nobody else would end it. */
static _Noreturn void be_worker(struct steward *steward, pid_t parent, int fd)
{
	cx_fd_close_at(&steward->fd);
	cx_fd_close_at(&steward->child_fd);
	sigprocmask(SIG_SETMASK, &steward->before, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    getppid() != parent)
		_exit(1);
	cx_worker_run(steward->broker, steward->flags, fd);
}

static bool has_workers(const struct steward *steward)
{
	for (int i = 0; i < CX_STEWARD_WORKERS_MAX; i++)
		if (steward->pid[i])
			return true;
	return false;
}

/* They have seen the end of their sockets, and go by themselves. */
static void see_off(struct steward *steward)
{
	struct pollfd child = { steward->child_fd, POLLIN, 0 };
	int64_t until = cx_clock_mono_us() + FAREWELL_US;

	while (has_workers(steward) && cx_clock_mono_us() < until) {
		poll(&child, 1, FAREWELL_US / 1000);
		reap(steward);
	}
}

static void hire(struct steward *steward, int number, int fd)
{
	pid_t self = getpid(), pid;

	if (number < 0 || number >= CX_STEWARD_WORKERS_MAX || fd < 0)
		return;
	end_worker(steward, number);
	pid = fork();
	if (pid == 0)
		be_worker(steward, self, fd);
	if (pid > 0)
		steward->pid[number] = pid;
}

/* Requests come until the other end is closed. */
static void serve(struct steward *steward)
{
	struct pollfd fd[] = { { steward->fd, POLLIN, 0 },
		               { steward->child_fd, POLLIN, 0 } };

	for (;;) {
		CX_AUTO_FD int given = -1;
		int number;

		if (poll(fd, 2, -1) < 0)
			continue;
		if (fd[1].revents)
			reap(steward);
		if (!fd[0].revents)
			continue;
		if (cx_packet_accept(steward->fd, &number, &given) <= 0)
			return;
		if (number == FAREWELL) {
			see_off(steward);
			return;
		}
		hire(steward, number, given);
	}
}

/* Standard input and output are the asker's: who reads its output is to see
 * the end with it. */
static void let_streams_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		_exit(71);
	close(null);
}

static _Noreturn void be_steward(struct cx_broker *broker,
                                 const struct cx_order_flags *flags,
                                 const struct cx_steward_charge *charge,
                                 int fd)
{
	struct steward steward = { broker, flags, fd, .child_fd = -1 };
	sigset_t set;

	setsid();
	if (charge && charge->close_fd >= 0)
		close(charge->close_fd);
	let_streams_go();
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, &steward.before);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	steward.child_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (steward.child_fd >= 0)
		serve(&steward);
	for (int i = 0; i < CX_STEWARD_WORKERS_MAX; i++)
		end_worker(&steward, i);
	if (charge && charge->farewell)
		charge->farewell(charge->context);
	_exit(0);
}

int cx_steward_start(struct cx_broker *broker,
                     const struct cx_order_flags *flags,
                     const struct cx_steward_charge *charge,
                     struct cx_steward *ret, struct cx_err *err)
{
	int end[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
		return cx_err_sys(err, CX_E_WORKER_ERROR, "make a socket");
	pid = fork();
	if (pid == 0) {
		close(end[0]);
		be_steward(broker, flags, charge, end[1]);
	}
	close(end[1]);
	if (pid < 0) {
		close(end[0]);
		return cx_err_sys(err, CX_E_WORKER_ERROR, "start a process");
	}
	*ret = (struct cx_steward){ pid, end[0] };
	return 0;
}

int cx_steward_hire(const struct cx_steward *steward, int number, int *ret_fd,
                    struct cx_err *err)
{
	CX_AUTO_FD int ours = -1;
	CX_AUTO_FD int theirs = -1;
	int end[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) < 0)
		return cx_err_sys(err, CX_E_WORKER_ERROR, "make a socket");
	ours = end[0];
	theirs = end[1];
	if (cx_packet_pass(steward->fd, number, theirs) < 0)
		return cx_err_sys(err, CX_E_WORKER_ERROR,
		                  "ask for a worker");
	*ret_fd = cx_fd_take(&ours);
	return 0;
}

void cx_steward_done(struct cx_steward *steward, bool orderly)
{
	if (steward->pid == 0)
		return;
	if (orderly) /* where it can't be said it is killed all the same */
		cx_packet_pass(steward->fd, FAREWELL, -1);
	cx_fd_close_at(&steward->fd);
	while (waitpid(steward->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	steward->pid = 0;
}
