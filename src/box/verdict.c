/* verdict.c - see verdict.h. */
#include "box/verdict.h"

#include <signal.h>

#include "sys/usage.h"

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
		ret->cpu_ms = (usage.cpu_us - outside->cpu_base_us) / 1000;
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

void cx_verdict_fill(const struct cx_outside *outside, struct cx_report *ret)
{
	count(outside, ret);
	judge_memory(ret);
	say_enforced(outside, ret);
}
