/* warden.c - see warden.h. */
#include "build/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/path.h"

/* How long its own cleaning may take. */
#define PATIENCE_US ((int64_t)60 * 1000 * 1000)

struct watch {
	pid_t group;        /* the program and what it starts */
	int lifeline_fd;    /* -1 once it closed */
	int message_fd;     /* what the program says; -1 at its end */
	int pass_fd;        /* where it goes; -1 when nobody listens */
	int64_t deadline;   /* once it was asked to end */
};

static void pass_on(struct watch *watch)
{
	char data[4096];
	ssize_t n = read(watch->message_fd, data, sizeof data);

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		cx_fd_close_at(&watch->message_fd);
	else if (watch->pass_fd >= 0 &&
	         cx_fd_write(watch->pass_fd, data, (size_t)n) < 0)
		cx_fd_close_at(&watch->pass_fd);
}

static void ask_to_end(struct watch *watch)
{
	cx_fd_close_at(&watch->lifeline_fd);
	cx_fd_close_at(&watch->pass_fd);
	kill(-watch->group, SIGTERM);
	watch->deadline = cx_clock_mono_us() + PATIENCE_US;
}

/* Until everybody who could say something is gone. */
static void stand_by(struct watch *watch)
{
	while (watch->message_fd >= 0) {
		struct pollfd fd[] = { { watch->message_fd, POLLIN, 0 },
		                       { watch->lifeline_fd, POLLIN, 0 } };

		poll(fd, 2, watch->deadline ? 1000 : -1);
		if (fd[1].revents)
			ask_to_end(watch);
		if (fd[0].revents)
			pass_on(watch);
		if (watch->deadline && cx_clock_mono_us() > watch->deadline) {
			kill(-watch->group, SIGKILL);
			return;
		}
	}
}

/* The program's end as ours. */
static _Noreturn void end_with(pid_t pid, const char *folder)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	cx_path_remove(AT_FDCWD, folder);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status)
	                        : 128 + WTERMSIG(status));
}

static _Noreturn void be_warden(const struct cx_spawn *what, const char *folder,
                                int lifeline_fd, int report_fd)
{
	struct watch watch = { .lifeline_fd = lifeline_fd,
	                       .pass_fd = what->err_fd };
	struct cx_spawn own = *what;
	struct cx_err err = { 0 };
	int pair[2], out_fd = what->out_fd;

	setsid();
	signal(SIGPIPE, SIG_IGN);
	/* as root the program mounts things: here, where they go with it,
	 * however it ends */
	if (unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	if (pipe2(pair, O_CLOEXEC) < 0)
		_exit(126);
	own.err_fd = pair[1];
	own.group = true;
	if (cx_spawn_start(&own, &watch.group, &err) < 0) {
		cx_path_remove(AT_FDCWD, folder);
		if (write(report_fd, &err, sizeof err) < 0)
			_exit(126);
		_exit(127);
	}
	close(report_fd);
	close(pair[1]);
	cx_fd_close_at(&out_fd);
	watch.message_fd = pair[0];
	stand_by(&watch);
	end_with(watch.group, folder);
}

/* What our parent held open is no business of the warden's: a pipe's reader
 * would wait for it. */
static void close_others(const int *keep, size_t count)
{
	for (int fd = 3; fd < 1024; fd++) {
		bool kept = false;

		for (size_t i = 0; i < count; i++)
			kept |= keep[i] == fd;
		if (!kept)
			close(fd);
	}
}

int cx_warden_start(const struct cx_spawn *what, const char *folder,
                    struct cx_warden *ret, struct cx_err *err)
{
	CX_AUTO_FD int lifeline = -1, lifeline_end = -1;
	CX_AUTO_FD int report = -1, report_end = -1;
	int pair[2];
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	lifeline_end = pair[0];
	lifeline = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	report = pair[0];
	report_end = pair[1];
	pid = fork();
	if (pid < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "start a process");
	if (pid == 0) {
		const int keep[] = { what->in_fd, what->out_fd, what->err_fd,
		                     lifeline_end, report_end };

		close_others(keep, sizeof keep / sizeof *keep);
		be_warden(what, folder, lifeline_end, report_end);
	}
	cx_fd_close_at(&report_end);
	if (cx_fd_read(report, err, sizeof *err) == sizeof *err) {
		waitpid(pid, NULL, 0);
		return -1;
	}
	*ret = (struct cx_warden){ pid, cx_fd_take(&lifeline) };
	return 0;
}
