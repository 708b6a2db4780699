/*
 * usage.h - what a command used, from its group's counters.
 *
 * Counters are evidence: a status of 137 never is. -1 stands for "the kernel
 * doesn't tell".
 */
#ifndef CX_SYS_USAGE_H
#define CX_SYS_USAGE_H

#include <stdint.h>

#include "sys/cgroup.h"

struct cx_usage {
	int64_t cpu_us;            /* CPU time of every process inside */
	int64_t memory_peak_bytes;
	int64_t oom_kills;         /* processes that the kernel killed */
	int64_t pids_peak;
	int64_t pids_hits;         /* forks that the limit refused */
};

/* All of them; a group without folders gives -1 throughout. */
void cx_usage_read(const struct cx_cgroup *group, struct cx_usage *ret);

/* Only the CPU time, for a deadline in CPU time; -1 unknown. */
int64_t cx_usage_cpu_us(const struct cx_cgroup *group);

/* Only the memory kills. */
int64_t cx_usage_oom_kills(const struct cx_cgroup *group);

/* The time that was held back by the CPU limit. */
int64_t cx_usage_throttled_us(const struct cx_cgroup *group);

/* The time in which some process of the group waited for what ("cpu",
 * "memory", "io"): pressure stall information, which v2 alone has. */
int64_t cx_usage_pressure_us(const struct cx_cgroup *group, const char *what);

#endif
