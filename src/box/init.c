/*
 * init.c - see init.h.
 *
 * A command as PID 1 would ignore signals that it doesn't handle, even its
 * own; so it is PID 2, and this is PID 1. It has no more rights than the
 * command, isn't dumpable, and holds nothing but the control socket.
 */
#include "box/init.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/promise.h"
#include "box/control.h"
#include "sys/sieve.h"

enum { SAMPLE_MS = 250, ARGUMENTS_MAX_BYTES = 1 << 28 };

struct watch {
	int control_fd;
	pid_t command;
	struct cx_control_message last; /* ENDED, as far as known */
	bool ended;
};

static void say(int control_fd, const struct cx_control_message *message)
{
	while (send(control_fd, message, sizeof *message, MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

void cx_init_fail(const struct cx_enter *enter)
{
	const struct cx_control_message message = {
		.kind = CX_CONTROL_FAULT,
		.step = enter->fault,
		.error = enter->fault_errno,
	};

	say(enter->control_fd, &message);
	_exit(1);
}

static void on_child(int number)
{
	(void)number; /* only to wake ppoll */
}

static void catch_children(void)
{
	struct sigaction action = { .sa_handler = on_child };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &action, NULL);
}

/* /tmp is as full as it is; its peak is what was seen. */
static void sample_tmp(struct watch *watch)
{
	struct statfs fs;
	int64_t kib;

	if (statfs("/tmp", &fs) < 0)
		return;
	kib = (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize / 1024;
	if (kib > watch->last.tmp_peak_kib)
		watch->last.tmp_peak_kib = kib;
}

static bool was_file_limit(int status)
{
	return (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXFSZ);
}

/* Collects whatever has ended; false when no process is left. */
static bool reap(struct watch *watch)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return pid == 0;
		if (was_file_limit(status))
			watch->last.file_limit_hit = true;
		if (pid == watch->command) {
			watch->last.status = status;
			watch->ended = true;
		}
	}
}

static int64_t cpu_used_us(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_CHILDREN, &used) < 0)
		return 0;
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
	       used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* After the command's end the launcher decides how long the rest may live. */
static void report(struct watch *watch, bool others)
{
	sample_tmp(watch);
	watch->last.kind = CX_CONTROL_ENDED;
	watch->last.leftovers = others;
	watch->last.cpu_us = cpu_used_us();
	say(watch->control_fd, &watch->last);
	if (!others)
		sched_yield(); /* what init has yet to do is its own end */
	watch->command = -1;
	watch->ended = false;
}

/* What the launcher asks; nothing at all is its death. */
static void obey(const struct watch *watch)
{
	char word;
	ssize_t n = recv(watch->control_fd, &word, 1, MSG_DONTWAIT);

	if (!CX_PROMISE(dies_with_launcher,
	                n > 0 || (n < 0 && (errno == EAGAIN ||
	                                    errno == EINTR))))
		_exit(0);
	if (n == 1)
		kill(-1, word == CX_CONTROL_KILL ? SIGKILL : SIGTERM);
}

/*
 * /proc/1/cmdline is anybody's to read: our arguments name files of the host,
 * and the environment lies behind them. Both end where the kernel put the
 * program's name. The command's own copies are in its own memory by now.
 */
static bool forget_arguments(void)
{
	const union {
		unsigned long number;
		const char *text;
	} end = { .number = getauxval(AT_EXECFN) };
	char *start = program_invocation_name;
	ptrdiff_t size = end.text - start;

	if (!end.text || size <= 0 || size > ARGUMENTS_MAX_BYTES)
		return false;
	memset(start, 0, (size_t)size);
	return true;
}

void cx_init_watch(struct cx_enter *enter)
{
	const struct timespec pause_for = {
		.tv_nsec = SAMPLE_MS * 1000000L,
	};
	struct watch watch = {
		.control_fd = enter->control_fd,
		.command = enter->command_pid,
		.last = { .landlock = enter->landlock,
		          .executed_us = enter->executed_us },
	};
	struct pollfd poll_for = { watch.control_fd, POLLIN, 0 };
	int keep = watch.control_fd;
	sigset_t mask;

	catch_children();
	cx_sieve_keep(&keep, 1);
	if (!CX_PROMISE(arguments_forgotten, forget_arguments()))
		_exit(1);
	if (enter->box->hooks.started) {
		watch.last.kind = CX_CONTROL_STARTED;
		say(watch.control_fd, &watch.last);
	}
	sigfillset(&mask);
	sigdelset(&mask, SIGCHLD);
	for (;;) {
		bool others = reap(&watch);

		if (watch.ended)
			report(&watch, others);
		if (!others)
			_exit(0);
		switch (ppoll(&poll_for, 1, &pause_for, &mask)) {
		case 1:
			obey(&watch);
			break;
		case -1:
			if (errno != EINTR)
				_exit(0);
		}
		sample_tmp(&watch);
	}
}
