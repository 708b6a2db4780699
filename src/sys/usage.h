/*
 * usage.h - what a command used, from its group's counters.
 *
 * Counters are evidence: a status of 137 never is. -1 stands for "the kernel
 * doesn't tell".
 */
#ifndef CX_SYS_USAGE_H
#define CX_SYS_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cgroup.h"

struct cx_usage {
	int64_t cpu_us;            /* CPU time of every process inside */
	int64_t memory_peak_bytes;
	int64_t oom_kills;         /* processes that the kernel killed */
	int64_t pids_peak;
	int64_t pids_hits;         /* forks that the limit refused */
};

enum cx_usage_file {
	CX_USAGE_CPU, CX_USAGE_MEMORY, CX_USAGE_OOM, CX_USAGE_PIDS,
	CX_USAGE_HITS, CX_USAGE_FILES
};

/* The counters, opened while there is time, to be read when there is none. */
struct cx_usage_files {
	bool v2;
	int fd[CX_USAGE_FILES]; /* -1: there is none */
};
#define CX_USAGE_NONE { .fd = { -1, -1, -1, -1, -1 } }

void cx_usage_open(const struct cx_cgroup *group, struct cx_usage_files *ret);
void cx_usage_done(struct cx_usage_files *files);

/* All of them; a group without folders gives -1 throughout. */
void cx_usage_read(const struct cx_usage_files *files, struct cx_usage *ret);

/* Only the CPU time, for a deadline in CPU time; -1 unknown. */
int64_t cx_usage_cpu_us(const struct cx_cgroup *group);

/* The time that was held back by the CPU limit. */
int64_t cx_usage_throttled_us(const struct cx_cgroup *group);

/* The time in which some process of the group waited for what ("cpu",
 * "memory", "io"): pressure stall information, which v2 alone has. */
int64_t cx_usage_pressure_us(const struct cx_cgroup *group, const char *what);

#endif
