/* group.c - see group.h. */
#include "box/group.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "box/berth.h"
#include "box/guard.h"
#include "box/holding.h"
#include "box/outside.h"
#include "sys/affinity.h"
#include "sys/clone.h"

enum {
	JOIN_PAUSE_NS = 1000000,
	JOINS_MAX = 2000,
};

/* What doesn't hold in spite of what the subtree promised is judged anew. */
static int make(struct cx_outside *outside)
{
	const struct cx_quota *quota = &outside->box->profile->quota;
	const struct cx_cgroup_limits limits = {
		.memory_bytes = quota->memory_bytes,
		.pids = quota->pids,
		.cpu_milli = quota->cpus_milli,
	};
	struct cx_err err;

	if (!cx_berth_group(outside, &limits) &&
	    cx_cgroup_make(&outside->of_group, outside->enter.group_id,
	                   &limits, &outside->group, &err) < 0) {
		errno = err.sys ? err.sys : EINVAL;
		return -1;
	}
	outside->grouped = true;
	if (cx_holding_require(quota, outside->group.holds, &outside->holds,
	                       &err) < 0) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (outside->world.born_in)
		return 0;
	/* an init that is gone has left word why */
	if (send(outside->control_fd, "g", 1, MSG_NOSIGNAL) < 0 &&
	    errno != EPIPE)
		return -1;
	return 0;
}

/* While the sweeper makes the network, which is waited for longest, it is to
 * have this CPU. What it says of the network is init's affair. */
static int let_network_go_first(const struct cx_outside *outside)
{
	struct cx_sweeper_word word;

	if (outside->enter.network_ready_fd < 0)
		return 0;
	return cx_sweeper_listen(outside->enter.network_ready_fd, &word);
}

static int wait_and_make(struct cx_outside *outside)
{
	/* whose memory it is, his errno is, too */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    let_network_go_first(outside) < 0)
		return -1;
	/* if it didn't sleep, nobody had time to do so */
	cx_affinity_move(0, &outside->aside.others);
	return make(outside);
}

/* It holds the launcher's descriptors, lifelines too, so that whoever cleans
 * up after a dead launcher begins when this has ended. */
static int work(void *context)
{
	struct cx_outside *outside = context;
	int error = 0;

	if (wait_and_make(outside) < 0)
		error = errno ? errno : EIO;
	cx_affinity_fetch(outside->aside.owner);
	__atomic_store_n(&outside->aside.error, error, __ATOMIC_RELEASE);
	return cx_clone_end();
}

/* Its word is the last that it does in our memory: so it is enough where it
 * can't be waited for. */
static int join(struct cx_outside *outside)
{
	struct cx_group_aside *aside = &outside->aside;
	const struct timespec pause_for = { .tv_nsec = JOIN_PAUSE_NS };
	bool ended = cx_clone_wait(aside->pid) >= 0;
	int error = __atomic_load_n(&aside->error, __ATOMIC_ACQUIRE);

	for (int i = 0; !ended && error == ECHILD && i < JOINS_MAX; i++) {
		nanosleep(&pause_for, NULL);
		error = __atomic_load_n(&aside->error, __ATOMIC_ACQUIRE);
	}
	aside->pid = 0;
	cx_affinity_move(0, &aside->others); /* init stays where we were */
	cx_affinity_roam(&outside->enter.may_use);
	return error;
}

int cx_group_begin(struct cx_outside *outside)
{
	struct cx_group_aside *aside = &outside->aside;

	/* a standing guard has one ready: there is nothing to wait for */
	if (!outside->world.groups || outside->world.born_in ||
	    cx_guard_is_standing(outside->box->guard))
		return 0;
	aside->error = ECHILD;
	aside->owner = getpid();
	cx_affinity_others(&outside->enter.may_use, &aside->others);
	aside->pid = cx_clone_beside(work, outside, aside->stack,
	                             sizeof aside->stack, CLONE_FILES);
	if (aside->pid < 0) {
		aside->pid = 0;
		return -1;
	}
	cx_affinity_move(aside->pid, &aside->others);
	return 0;
}

void cx_group_settle(struct cx_outside *outside)
{
	if (outside->aside.pid)
		join(outside);
}

int cx_group_make(struct cx_outside *outside)
{
	if (!outside->aside.pid) {
		if (outside->init_pid && let_network_go_first(outside) < 0)
			return -1;
		return make(outside);
	}
	errno = join(outside);
	return errno ? -1 : 0;
}
