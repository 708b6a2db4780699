/*
 * watch.c - see watch.h.
 *
 * The run ends with the command, not with end of file: a background process
 * that holds a pipe would keep everybody waiting. When the command has ended
 * the rest gets up to DRAIN_US for its last lines (a tee behind a process
 * substitution), then init is killed and with it the namespace; after that
 * end of file is certain, and the pipes are read to it.
 *
 * Whoever ends a run states its reason first, and the first reason stands:
 * the verdict is never guessed from a signal's number.
 */
#include "box/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "box/control.h"
#include "box/outlet.h"
#include "box/tally.h"
#include "sys/usage.h"

enum {
	DRAIN_US = 200 * 1000,
	KILL_US = 100 * 1000,
	CPU_LOOK_MIN_US = 5 * 1000,
	QUOTA_LOOK_FIRST_US = 4 * 1000,
};

#define NEVER INT64_MAX

enum { CONTROL, CANCEL, OUTLET, FDS = OUTLET + CX_OUTLET_FDS };

struct watch {
	struct cx_outside *outside;
	struct cx_report *report;
	struct cx_outlet outlet;
	struct pollfd fd[FDS];   /* fd -1 once it has ended */
	enum cx_termination why; /* we end it; NONE: it ends of itself */
	bool killing;            /* init was asked to kill all else */
	bool ended;              /* the command's status is known */
	int status;
	int64_t ended_us;
	int64_t wall_us, kill_us, drain_us, cpu_us, quota_us; /* deadlines */
};

static int64_t earliest(const struct watch *watch)
{
	const int64_t all[] = { watch->wall_us, watch->kill_us,
		                watch->drain_us, watch->cpu_us,
		                watch->quota_us };
	int64_t first = NEVER;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i] < first)
			first = all[i];
	return first;
}

static void wait_for_events(struct watch *watch)
{
	int64_t left = earliest(watch);
	struct timespec time = { 0 };
	bool broken;

	cx_outlet_expect(&watch->outlet, &watch->fd[OUTLET]);
	if (left != NEVER) {
		left -= cx_clock_mono_us();
		if (left < 0)
			left = 0;
		time.tv_sec = left / 1000000;
		time.tv_nsec = left % 1000000 * 1000;
	}
	if (ppoll(watch->fd, FDS, left == NEVER ? NULL : &time, NULL) >= 0)
		return;
	broken = errno != EINTR;
	if (broken) { /* who can't watch mustn't let it run */
		kill(watch->outside->init_pid, SIGKILL);
		cx_outlet_stop(&watch->outlet);
	}
	for (int i = 0; i < FDS; i++) {
		watch->fd[i].revents = 0;
		if (broken)
			watch->fd[i].fd = -1;
	}
}

static bool ask(const struct watch *watch, char word)
{
	return send(watch->outside->control_fd, &word, 1,
	            MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* Init first kills all but itself, so that the command's status is known; a
 * moment later it goes as well. */
static void kill_all(struct watch *watch)
{
	if (watch->killing || watch->ended || !ask(watch, CX_CONTROL_KILL)) {
		kill(watch->outside->init_pid, SIGKILL);
		watch->kill_us = NEVER;
		watch->drain_us = NEVER;
		return;
	}
	watch->killing = true;
	watch->kill_us = cx_clock_mono_us() + KILL_US;
}

/* The first reason stands. The command gets a word and the grace before the
 * end, unless it is one that can't wait. */
static void end(struct watch *watch, enum cx_termination why, bool at_once)
{
	const struct cx_quota *quota = &watch->outside->box->profile->quota;

	if (watch->why != CX_TERMINATION_NONE)
		return;
	watch->why = why;
	watch->outlet.hurried = true;
	watch->wall_us = NEVER;
	watch->cpu_us = NEVER;
	watch->quota_us = NEVER;
	if (at_once || quota->grace_ms == 0 ||
	    !ask(watch, CX_CONTROL_TERMINATE))
		kill_all(watch);
	else
		watch->kill_us = cx_clock_mono_us() +
		                 (int64_t)quota->grace_ms * 1000;
}

static void note_end(struct watch *watch,
                     const struct cx_control_message *message)
{
	watch->ended = true;
	watch->outlet.hurried = true;
	watch->status = message->status;
	watch->ended_us = cx_clock_mono_us();
	watch->drain_us = watch->ended_us + DRAIN_US;
	watch->wall_us = NEVER;
	watch->kill_us = NEVER;
	watch->cpu_us = NEVER;
	watch->quota_us = NEVER;
	watch->report->leftovers = message->leftovers;
	watch->report->file_limit_hit = message->file_limit_hit;
	watch->report->landlock = message->landlock > 0;
	watch->report->tmp_peak_kib = message->tmp_peak_kib;
	watch->report->cpu_ms = message->cpu_us / 1000;
	watch->report->wall_ms = (watch->ended_us - message->executed_us) /
	                         1000;
	watch->report->setup_us = message->executed_us -
	                          watch->outside->began_us;
}

static void hear(struct watch *watch)
{
	const struct cx_box_hooks *hooks = &watch->outside->box->hooks;
	struct cx_control_message message;
	ssize_t n = recv(watch->fd[CONTROL].fd, &message, sizeof message,
	                 MSG_DONTWAIT);

	/* ECONNRESET: init went with a word of ours unread. It is said once,
	 * and before what init had said itself, which is still there. */
	if (n < 0 && (errno == EAGAIN || errno == EINTR ||
	              errno == ECONNRESET))
		return;
	if (n != sizeof message) {
		watch->fd[CONTROL].fd = -1;
		return;
	}
	switch (message.kind) {
	case CX_CONTROL_FAULT:
		watch->report->fault = message.step;
		watch->report->fault_errno = message.error;
		break;
	case CX_CONTROL_STARTED:
		if (hooks->started)
			hooks->started(hooks->context);
		break;
	case CX_CONTROL_ENDED:
		note_end(watch, &message);
		break;
	}
}

static int64_t cpu_used_us(const struct watch *watch)
{
	int64_t us = watch->outside->grouped ?
	             cx_usage_cpu_us(&watch->outside->group) : -1;

	return us >= 0 ? us - watch->outside->cpu_base_us
	               : cx_tally_cpu_us(watch->outside->init_pid);
}

/* Looks again when the limit could be reached at the earliest. */
static void look_at_cpu(struct watch *watch, int64_t now)
{
	const struct cx_quota *quota = &watch->outside->box->profile->quota;
	int64_t left = (int64_t)quota->cpu_ms * 1000 - cpu_used_us(watch);
	int64_t pause = left * 1000 / (int64_t)(quota->cpus_milli + 1);

	if (left <= 0)
		end(watch, CX_TERMINATION_CPU_TIME, false);
	else
		watch->cpu_us = now + (pause > CPU_LOOK_MIN_US ?
		                       pause : CPU_LOOK_MIN_US);
}

static void look_at_quota(struct watch *watch)
{
	const struct cx_box_hooks *hooks = &watch->outside->box->hooks;
	int64_t pause = hooks->look(hooks->context, watch->outside->init_pid);

	if (pause < 0)
		end(watch, CX_TERMINATION_DISK_QUOTA_EXCEEDED, true);
	else
		watch->quota_us = cx_clock_mono_us() + pause;
}

static void keep_deadlines(struct watch *watch)
{
	int64_t now = cx_clock_mono_us();

	if (!CX_PROMISE(wall_clock_is_kept, now < watch->wall_us))
		end(watch, CX_TERMINATION_WALL_CLOCK, false);
	if (now >= watch->cpu_us)
		look_at_cpu(watch, now);
	if (now >= watch->quota_us)
		look_at_quota(watch);
	if (!CX_PROMISE(leftovers_are_killed, now < watch->drain_us) ||
	    now >= watch->kill_us)
		kill_all(watch);
}

static void start(struct watch *watch)
{
	const struct cx_outside *outside = watch->outside;
	const struct cx_box *box = outside->box;
	const struct cx_quota *quota = &box->profile->quota;

	watch->fd[CONTROL] = (struct pollfd){ outside->control_fd, POLLIN, 0 };
	watch->fd[CANCEL] = (struct pollfd){ box->cancel_fd, POLLIN, 0 };
	cx_outlet_start(&box->hooks, quota, outside->stream_fd,
	                &watch->outlet);
	watch->wall_us = outside->began_us + (int64_t)quota->wall_ms * 1000;
	watch->kill_us = NEVER;
	watch->drain_us = NEVER;
	watch->cpu_us = quota->cpu_ms ? outside->began_us : NEVER;
	watch->quota_us = box->hooks.look ?
	                  outside->began_us + QUOTA_LOOK_FIRST_US : NEVER;
}

/* All output is read, and init is gone or has nobody left below it. */
static bool is_over(const struct watch *watch)
{
	return cx_outlet_is_over(&watch->outlet) &&
	       (watch->fd[CONTROL].fd < 0 ||
	        (watch->ended && !watch->report->leftovers));
}

/* What init said is heard before a deadline is looked at: a command that has
 * ended in time has ended in time. */
static void loop(struct watch *watch)
{
	start(watch);
	while (!is_over(watch)) {
		wait_for_events(watch);
		if (watch->fd[CONTROL].revents)
			hear(watch);
		if (!cx_outlet_take(&watch->outlet, &watch->fd[OUTLET]))
			end(watch, CX_TERMINATION_OUTPUT_CAP, true);
		if (watch->fd[CANCEL].revents) {
			watch->fd[CANCEL].fd = -1;
			end(watch, CX_TERMINATION_CANCELLED, false);
		}
		keep_deadlines(watch);
	}
}

/* Init is the sum of all that it reaped. One that has nobody below it ends by
 * itself, and isn't waited for yet. */
static void reap(struct watch *watch)
{
	struct rusage used = { 0 };
	int status;

	if (watch->ended && !watch->report->leftovers)
		return;
	while (wait4(watch->outside->init_pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			break;
	watch->outside->init_pid = 0;
	watch->report->cpu_ms =
		(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
		(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

static void judge(const struct watch *watch, struct cx_report *ret)
{
	int status = watch->ended ? watch->status : SIGKILL;

	if (!watch->ended)
		ret->wall_ms = (cx_clock_mono_us() - watch->outside->began_us) /
		               1000;
	if (WIFSIGNALED(status)) {
		ret->signal = WTERMSIG(status);
		ret->exit_code = 128 + ret->signal;
		ret->termination = CX_TERMINATION_SIGNALED;
	} else {
		ret->exit_code = WEXITSTATUS(status);
		ret->termination = CX_TERMINATION_EXITED;
	}
	if (watch->why != CX_TERMINATION_NONE)
		ret->termination = watch->why;
	else if (!watch->ended)
		ret->termination = CX_TERMINATION_LOST;
}

void cx_watch_run(struct cx_outside *outside, struct cx_report *ret)
{
	const struct cx_box_hooks *hooks = &outside->box->hooks;
	struct watch watch = { .outside = outside, .report = ret };

	if (hooks->idle)
		hooks->idle(hooks->context);
	loop(&watch);
	reap(&watch);
	cx_outlet_end(&watch.outlet, ret);
	if (ret->fault == CX_STEP_NONE)
		judge(&watch, ret);
}
