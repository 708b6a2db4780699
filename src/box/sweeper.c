/* sweeper.c - see sweeper.h. */
#include "box/sweeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "base/fd.h"
#include "base/promise.h"
#include "sys/affinity.h"
#include "sys/cgroup.h"
#include "sys/clone.h"
#include "sys/netns.h"
#include "sys/roster.h"
#include "sys/sieve.h"

enum {
	SWEEPS_MAX = 500,
	SWEEP_PAUSE_NS = 10 * 1000 * 1000,
	REMOVE_WAIT_US = 2 * 1000 * 1000,
	LOOK_MS = 20,
	REMOVE_WORD = 'r',
	RENEW_WORD = 'n',
};

struct work {
	const struct cx_subtree *subtree;
	const struct cx_box *box;
	bool network, standing;
	int lifeline_fd, ready_fd;
	const struct cx_affinity *others; /* than the launcher's CPU */
};

static int look_at_network(bool *ret_alone)
{
	return cx_netns_loopback() < 0 ? -1 : cx_netns_look(ret_alone);
}

static void tell(const struct work *work, const struct cx_sweeper_word *word,
                 size_t times)
{
	struct cx_sweeper_word all[2] = { *word, *word };

	cx_fd_write(work->ready_fd, all, times * sizeof *word);
}

/* Says that it is there, and that the network is where it is to make one:
 * twice, to init and to the launcher, of whom each reads one word. They go on
 * while it looks at the network; the last word is init's. */
static void get_ready(const struct work *work)
{
	struct cx_sweeper_word word = { 0 };

	if (work->network &&
	    !CX_PROMISE(network_is_new, unshare(CLONE_NEWNET) == 0))
		word.error = errno;
	if (!work->standing)
		tell(work, &word, 2);
	if (work->network && !word.error && look_at_network(&word.alone) < 0)
		word.error = errno;
	word.last = true;
	if (work->network || work->standing)
		tell(work, &word, 1);
	if (!work->standing)
		close(work->ready_fd);
}

/* What init still holds, or lives in, goes a moment after the launcher. */
static void sweep(const struct cx_subtree *subtree, const char *id)
{
	const struct timespec pause_for = { .tv_nsec = SWEEP_PAUSE_NS };

	for (int i = 0; i < SWEEPS_MAX; i++) {
		cx_cgroup_sweep(subtree, id);
		if (!cx_roster_has(subtree, id))
			return;
		nanosleep(&pause_for, NULL);
	}
}

/* Carries out what the launcher says; false when it died. */
static bool was_dismissed(const struct work *work)
{
	const char *id = work->box->id;
	char word;

	while (cx_fd_read(work->lifeline_fd, &word, 1) == 1) {
		if (word == RENEW_WORD) {
			get_ready(work);
			continue;
		}
		if (!cx_roster_remove(work->subtree, id, REMOVE_WAIT_US))
			sweep(work->subtree, id);
		if (word != REMOVE_WORD)
			return true;
	}
	return false;
}

/* What dead launchers left has time: the group that is made now has none. */
static bool is_let_look(const struct work *work)
{
	struct pollfd lifeline = { work->lifeline_fd, POLLIN, 0 };

	return poll(&lifeline, 1, LOOK_MS) == 0;
}

/* Once a word has woken it, it isn't to run before who said it goes on. */
static void give_way(void)
{
	const struct sched_param none = { 0 };

	sched_setscheduler(0, SCHED_BATCH, &none);
}

static void sweep_others(const struct work *work)
{
	if (cx_roster_has_others(work->subtree, work->box->id))
		cx_cgroup_sweep(work->subtree, NULL);
}

static void work_through(const struct work *work)
{
	const struct cx_subtree *subtree = work->subtree;
	const struct cx_box *box = work->box;
	const struct cx_box_hooks *hooks = &box->hooks;
	int keep[CX_HIERARCHY_TREES + 2 + CX_BOX_HOLD_MAX];
	bool dismissed, looked;
	sigset_t all;

	cx_affinity_move(0, work->others);
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 || setsid() < 0)
		return;
	memcpy(keep, subtree->fd, sizeof subtree->fd);
	keep[CX_HIERARCHY_TREES] = work->lifeline_fd;
	keep[CX_HIERARCHY_TREES + 1] = work->ready_fd;
	memcpy(keep + CX_HIERARCHY_TREES + 2, hooks->hold_fd,
	       sizeof hooks->hold_fd);
	if (cx_sieve_keep(keep, sizeof keep / sizeof keep[0]) < 0)
		return;
	get_ready(work);
	give_way();
	looked = is_let_look(work);
	if (looked)
		sweep_others(work);
	dismissed = was_dismissed(work);
	if (CX_PROMISE(dies_with_launcher, dismissed)) {
		if (!looked)
			sweep_others(work);
		return;
	}
	sweep(subtree, box->id);
	if (hooks->orphaned)
		hooks->orphaned(hooks->context);
}

int cx_sweeper_start(const struct cx_subtree *subtree,
                     const struct cx_box *box, bool network, bool standing,
                     struct cx_sweeper *ret)
{
	int lifeline[2];
	int ready[2] = { -1, -1 };
	struct cx_affinity others = { 0 };
	pid_t pid;

	if (pipe2(lifeline, O_CLOEXEC) < 0)
		return -1;
	if (network)
		cx_affinity_others(NULL, &others);
	pid = pipe2(ready, O_CLOEXEC) < 0 ? -1 : cx_clone_fork(0, -1);
	if (pid == 0) {
		const struct work work = {
			subtree, box, network, standing, lifeline[0], ready[1],
			&others,
		};

		work_through(&work);
		_exit(0);
	}
	if (pid > 0)
		cx_affinity_move(pid, &others);
	cx_fd_close_at(&lifeline[0]);
	cx_fd_close_at(&ready[1]);
	if (pid < 0) {
		cx_fd_close_at(&lifeline[1]);
		cx_fd_close_at(&ready[0]);
		return -1;
	}
	*ret = (struct cx_sweeper){ pid, lifeline[1], ready[0], network };
	return 0;
}

/* Writing to one that is dead would end us by SIGPIPE. */
bool cx_sweeper_lives(const struct cx_sweeper *sweeper)
{
	struct pollfd lifeline = { sweeper->lifeline_fd, 0, 0 };

	return poll(&lifeline, 1, 0) == 0;
}

void cx_sweeper_renew(const struct cx_sweeper *sweeper)
{
	const char word = RENEW_WORD;

	if (cx_sweeper_lives(sweeper))
		cx_fd_write(sweeper->lifeline_fd, &word, 1);
}

int cx_sweeper_listen(int ready_fd, struct cx_sweeper_word *ret)
{
	if (cx_fd_read(ready_fd, ret, sizeof *ret) == sizeof *ret)
		return 0;
	errno = ECONNRESET;
	return -1;
}

int cx_sweeper_hear(const struct cx_sweeper *sweeper)
{
	struct cx_sweeper_word word;

	if (cx_sweeper_listen(sweeper->ready_fd, &word) < 0)
		return -1;
	errno = word.error ? word.error : ENOTUNIQ;
	return word.error || (sweeper->network && !word.alone) ? -1 : 0;
}

void cx_sweeper_remove(const struct cx_sweeper *sweeper)
{
	const char word = REMOVE_WORD;

	cx_fd_write(sweeper->lifeline_fd, &word, 1);
}

void cx_sweeper_dismiss(struct cx_sweeper *sweeper, bool leaves)
{
	if (sweeper->pid == 0)
		return;
	if (cx_sweeper_lives(sweeper))
		cx_fd_write(sweeper->lifeline_fd, "d", 1);
	cx_fd_close_at(&sweeper->lifeline_fd);
	cx_fd_close_at(&sweeper->ready_fd);
	if (!leaves)
		cx_clone_wait(sweeper->pid);
	sweeper->pid = 0;
}
