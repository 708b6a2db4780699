/* box.c - see box.h. */
#include "box/box.h"

#include <signal.h>

#include "base/clock.h"
#include "base/mem.h"
#include "box/fault.h"
#include "box/outside.h"
#include "box/watch.h"
#include "sys/clone.h"
#include "sys/idmap.h"
#include "sys/usage.h"

void cx_box_start(struct cx_box *ret)
{
	*ret = (struct cx_box){
		.workspace_fd = -1,
		.skills_fd = -1,
		.stdin_fd = -1,
		.cancel_fd = -1,
	};
	for (size_t i = 0; i < CX_BOX_HOLD_MAX; i++)
		ret->hooks.hold_fd[i] = -1;
}

bool cx_box_is_privileged(void)
{
	return cx_idmap_is_privileged();
}

int cx_box_plan(const struct cx_box *box, struct cx_plan *ret,
                struct cx_err *err)
{
	struct cx_outside *outside = cx_mem_new(sizeof *outside);
	int status = cx_outside_plan(box, outside, err);

	*ret = outside->plan;
	cx_outside_done(outside);
	free(outside);
	return status;
}

/* What the group's counters tell; nothing else is evidence. */
static void count(const struct cx_outside *outside, struct cx_report *ret)
{
	struct cx_usage usage;

	ret->memory_peak_bytes = -1;
	ret->oom_kills = -1;
	ret->pids_peak = -1;
	ret->pids_hits = -1;
	if (!outside->grouped)
		return;
	cx_usage_read(&outside->group, &usage);
	if (usage.cpu_us >= 0)
		ret->cpu_ms = usage.cpu_us / 1000;
	ret->memory_peak_bytes = usage.memory_peak_bytes;
	ret->oom_kills = usage.oom_kills;
	ret->pids_peak = usage.pids_peak;
	ret->pids_hits = usage.pids_hits;
}

/* The command itself was killed for memory (or init, and all with it): a child
 * that was is counted, and the command's own ending stands. */
static void judge_memory(struct cx_report *ret)
{
	if (ret->oom_kills <= 0)
		return;
	if (ret->termination == CX_TERMINATION_LOST ||
	    (ret->termination == CX_TERMINATION_SIGNALED &&
	     ret->signal == SIGKILL))
		ret->termination = CX_TERMINATION_OUT_OF_MEMORY;
}

static void say_enforced(const struct cx_outside *outside,
                         struct cx_report *ret)
{
	unsigned holds = outside->holds;

	ret->enforced[CX_QUOTA_CPU] = holds & CX_LIMIT_CPU;
	ret->enforced[CX_QUOTA_MEMORY] = (holds & CX_LIMIT_MEMORY) &&
	                                 (holds & CX_LIMIT_SWAP);
	ret->enforced[CX_QUOTA_PIDS] = holds & CX_LIMIT_PIDS;
	ret->enforced[CX_QUOTA_CPU_TIME] = true;
	ret->enforced[CX_QUOTA_WALL] = true;
	ret->enforced[CX_QUOTA_OUTPUT] = true;
	ret->enforced[CX_QUOTA_FILE_SIZE] = true;
	ret->enforced[CX_QUOTA_WORKSPACE] = true;
	ret->enforced[CX_QUOTA_TMP] = true;
}

static int run(struct cx_outside *outside, struct cx_report *ret,
               struct cx_err *err)
{
	ret->fault = cx_outside_go(outside, &ret->fault_errno);
	if (ret->fault == CX_STEP_NONE) {
		cx_watch_run(outside, ret);
		count(outside, ret);
		judge_memory(ret);
		say_enforced(outside, ret);
	}
	if (ret->fault == CX_STEP_NONE)
		return 0;
	return cx_fault_explain(ret->fault, ret->fault_errno, err);
}

int cx_box_run(const struct cx_box *box, struct cx_report *ret,
               struct cx_err *err)
{
	struct cx_outside *outside = cx_mem_new(sizeof *outside);
	int status = cx_outside_plan(box, outside, err);

	*ret = (struct cx_report){ .fault = CX_STEP_NONE, .rest = outside };
	if (status == 0)
		status = run(outside, ret, err);
	if (status < 0)
		cx_report_settle(ret);
	return status;
}
