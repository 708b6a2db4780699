/*
 * rlimit.h - per-process limits: belts beside the cgroup, never the limit.
 *
 * RLIMIT_AS is not among them: it breaks numpy, Go and the JVM, and doesn't
 * limit memory. RLIMIT_CORE is 1 and not 0: at 0 a core handler behind a pipe
 * still runs, as the host's root. RLIMIT_NPROC counts per user namespace: set
 * it inside, after the namespace was made.
 *
 * Async-signal-safe.
 */
#ifndef CX_SYS_RLIMIT_H
#define CX_SYS_RLIMIT_H

#include <stdint.h>

/* 0 leaves a limit as it was inherited. */
struct cx_rlimits {
	uint64_t file_size_bytes;  /* soft and hard */
	uint64_t nofile_soft;
	uint64_t nofile_hard;
	uint64_t processes;        /* RLIMIT_NPROC */
	uint64_t cpu_s;            /* RLIMIT_CPU: one process's, a belt */
};

/* Applies them and the fixed ones (core 1, no real-time priority, no nice
 * below 0, bounded message queues and locked memory). 0 or -1, errno. */
int cx_rlimit_apply(const struct cx_rlimits *limits);

#endif
