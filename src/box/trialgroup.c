/* trialgroup.c - see trialgroup.h. */
#include "box/trialgroup.h"

#include <errno.h>

#include "box/survey.h"
#include "sys/cgroup.h"
#include "sys/clone.h"

enum { REMOVE_WAIT_MS = 1000, MEBIBYTE = 1 << 20 };

/* A process goes in, by whichever way commands go. */
static int enter(const struct cx_cgroup *group)
{
	pid_t pid = cx_clone_fork(0, cx_cgroup_clone_fd(group));

	if (pid == 0)
		_exit(cx_cgroup_enter(group) < 0 ? errno & 0x7f : 0);
	if (pid < 0)
		return -1;
	pid = cx_clone_wait(pid);
	if (pid == 0)
		return 0;
	errno = pid > 0 ? pid >> 8 & 0x7f : errno;
	return -1;
}

static int make(const struct cx_subtree *subtree, enum cx_limit limit,
                struct cx_trial_outcome *outcome)
{
	const struct cx_cgroup_limits limits = {
		.memory_bytes = 64 * (uint64_t)MEBIBYTE, .pids = 16,
		.cpu_milli = 1000,
	};
	struct cx_cgroup group;
	struct cx_err err = { 0 };
	char id[32];
	int done;

	snprintf(id, sizeof id, "trial-%d", (int)getpid());
	cx_trial_say(outcome, "make a group");
	done = cx_cgroup_make(subtree, id, &limits, &group, &err);
	if (done < 0) {
		errno = err.sys;
		return cx_trial_check(outcome, -1);
	}
	done = CX_TRIAL_DO(outcome, "enter the group", enter(&group));
	if (done == 0) {
		errno = EOPNOTSUPP;
		done = CX_TRIAL_DO(outcome, "write the limit",
		                   group.holds & limit ? 0 : -1);
	}
	cx_cgroup_remove(&group, REMOVE_WAIT_MS);
	return done;
}

static int hold(enum cx_limit limit, struct cx_trial_outcome *outcome)
{
	struct cx_subtree subtree;
	int done;

	cx_subtree_find(&subtree);
	errno = ENOENT;
	done = CX_TRIAL_DO(outcome, "find a group",
	                   cx_survey_has_groups(&subtree) ? 0 : -1);
	errno = EOPNOTSUPP;
	if (done == 0)
		done = CX_TRIAL_DO(outcome, "find the controller",
		                   subtree.holds & limit ? 0 : -1);
	if (done == 0)
		done = make(&subtree, limit, outcome);
	if (done == 0)
		snprintf(outcome->detail, sizeof outcome->detail,
		         "by cgroup v%d", subtree.v2 ? 2 : 1);
	cx_subtree_done(&subtree);
	return done;
}

int cx_trialgroup_memory(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	(void)world;
	return hold(CX_LIMIT_MEMORY, outcome);
}

int cx_trialgroup_swap(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	(void)world;
	return hold(CX_LIMIT_SWAP, outcome);
}

/* The kernel counts a user namespace's processes by itself as well. */
int cx_trialgroup_pids(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	(void)world;
	if (hold(CX_LIMIT_PIDS, outcome) == 0)
		return 0;
	if (!cx_survey_counts_inside())
		return -1;
	outcome->sys = 0;
	snprintf(outcome->detail, sizeof outcome->detail, "by RLIMIT_NPROC");
	return 0;
}

int cx_trialgroup_cpu(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	(void)world;
	return hold(CX_LIMIT_CPU, outcome);
}
