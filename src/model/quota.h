/*
 * quota.h - the limits of a command, with their units in their names.
 *
 * They belong to the broker (configuration); a job may lower wall time and
 * output, never raise anything.
 */
#ifndef CX_MODEL_QUOTA_H
#define CX_MODEL_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

/* What a stream's cap does: end the command, or drop the middle. */
enum cx_quota_cap { CX_QUOTA_CAP_KILL, CX_QUOTA_CAP_TRUNCATE };

/* What holds the workspace within its quota (store/wall.h). */
enum cx_quota_wall {
	CX_QUOTA_WALL_AUTO,
	CX_QUOTA_WALL_PROJECT,
	CX_QUOTA_WALL_IMAGE,
	CX_QUOTA_WALL_TMPFS,
	CX_QUOTA_WALL_MEASURE,
	CX_QUOTA_WALLS
};

/* The limits that a machine may be unable to enforce; limits.best_effort names
 * them, and the result's "enforced" says which held. */
enum cx_quota_limit {
	CX_QUOTA_CPU,
	CX_QUOTA_MEMORY,
	CX_QUOTA_PIDS,
	CX_QUOTA_CPU_TIME,
	CX_QUOTA_WALL,
	CX_QUOTA_OUTPUT,
	CX_QUOTA_FILE_SIZE,
	CX_QUOTA_WORKSPACE,
	CX_QUOTA_TMP,
	CX_QUOTA_LIMITS
};

struct cx_quota {
	uint64_t cpus_milli;       /* thousandths of a CPU */
	uint64_t memory_bytes;     /* swap is pinned to it */
	uint64_t pids;
	uint64_t wall_ms;
	uint64_t cpu_ms;           /* of the whole tree; 0: no limit */
	uint64_t grace_ms;         /* between TERM and KILL */
	uint64_t stdout_bytes, stderr_bytes;
	uint64_t file_size_bytes;  /* 0: as much as the workspace */
	uint64_t workspace_kib;
	uint64_t inodes;           /* of the workspace */
	uint64_t tmp_bytes;        /* size of /tmp */
	enum cx_quota_wall workspace_wall;
	enum cx_quota_cap on_output_cap;
	bool best_effort[CX_QUOTA_LIMITS];
};

/* 1 CPU, 1 GiB, 256 processes, 120 s, 1 MiB a stream, 256 MiB workspace. */
void cx_quota_default(struct cx_quota *ret);

/* "cpu", "memory", ...: as in limits.best_effort and "enforced". */
const char *cx_quota_name(enum cx_quota_limit limit);

/* "auto", "project", ...; NULL-ended, in the order of the enum. */
extern const char *const cx_quota_wall_word[CX_QUOTA_WALLS + 1];

/* The limit of a name; CX_QUOTA_LIMITS when there is none. */
enum cx_quota_limit cx_quota_find(const char *name);

#endif
