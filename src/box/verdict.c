/* verdict.c - see verdict.h. */
#include "box/verdict.h"

#include <signal.h>

#include "sys/affinity.h"
#include "sys/usage.h"

enum { PERIOD_MS = 100 };

static const int64_t SLICE_US = 5000;

/* A period's quota, which each CPU draws from in slices (100 ms and 5 ms are
 * the kernel's own): who used less than that was never held back, and most
 * commands are spared the look. */
static bool may_be_throttled(const struct cx_outside *outside,
                             const struct cx_report *report)
{
	uint64_t milli = outside->box->profile->quota.cpus_milli;
	int64_t quota_us = (int64_t)milli * PERIOD_MS;
	int64_t slices_us = cx_affinity_width(milli) * SLICE_US;

	return report->cpu_ms < 0 ||
	       report->cpu_ms * 1000 + slices_us >= quota_us;
}

static void count_waiting(const struct cx_outside *outside,
                          struct cx_report *ret)
{
	static const char *const name[CX_REPORT_PRESSURES] = {
		[CX_REPORT_CPU] = "cpu", [CX_REPORT_MEMORY] = "memory",
		[CX_REPORT_IO] = "io",
	};
	bool limited = outside->holds & CX_LIMIT_CPU;

	ret->throttled_us = limited ? 0 : -1;
	if (limited && may_be_throttled(outside, ret))
		ret->throttled_us = cx_usage_throttled_us(&outside->group);
	for (int i = 0; i < CX_REPORT_PRESSURES; i++)
		ret->pressure_us[i] = cx_usage_pressure_us(&outside->group,
		                                           name[i]);
}

static void know_nothing(struct cx_report *ret)
{
	ret->memory_peak_bytes = -1;
	ret->oom_kills = -1;
	ret->pids_peak = -1;
	ret->pids_hits = -1;
	ret->throttled_us = -1;
	for (int i = 0; i < CX_REPORT_PRESSURES; i++)
		ret->pressure_us[i] = -1;
}

/* What the group's counters tell; nothing else is evidence. */
static void count(const struct cx_outside *outside, struct cx_report *ret)
{
	struct cx_usage usage;

	know_nothing(ret);
	if (!outside->grouped)
		return;
	cx_usage_read(&outside->usage, &usage);
	if (usage.cpu_us >= 0)
		ret->cpu_ms = (usage.cpu_us - outside->cpu_base_us) / 1000;
	ret->memory_peak_bytes = usage.memory_peak_bytes;
	ret->oom_kills = usage.oom_kills;
	ret->pids_peak = usage.pids_peak;
	ret->pids_hits = usage.pids_hits;
	count_waiting(outside, ret);
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

void cx_verdict_prepare(struct cx_outside *outside)
{
	if (outside->grouped)
		cx_usage_open(&outside->group, &outside->usage);
}

void cx_verdict_fill(const struct cx_outside *outside, struct cx_report *ret)
{
	count(outside, ret);
	judge_memory(ret);
	say_enforced(outside, ret);
}
