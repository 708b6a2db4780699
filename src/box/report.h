/*
 * report.h - what a sandbox's run came to.
 */
#ifndef CX_BOX_REPORT_H
#define CX_BOX_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "box/step.h"
#include "data/digest.h"
#include "model/quota.h"
#include "model/termination.h"

/* One output stream. kept is the whole of it, or (truncated) its head and its
 * tail, which meet at gap_at; neither ends or begins within a character. */
struct cx_report_stream {
	char *kept;            /* owned, NUL after the last byte; NULL: none */
	size_t kept_bytes;
	size_t gap_at;         /* offset in kept; meaningful when truncated */
	bool truncated;
	uint64_t total_bytes;  /* of the whole stream */
	uint64_t total_lines;  /* newlines in the whole stream */
	struct cx_digest sha256; /* of the whole stream */
};

/* What some process may have waited for. */
enum {
	CX_REPORT_CPU, CX_REPORT_MEMORY, CX_REPORT_IO, CX_REPORT_PRESSURES
};

struct cx_outside;

struct cx_report {
	/* The step that failed, so that the command never ran, with its errno;
	 * CX_STEP_NONE: it ran. */
	enum cx_step fault;
	int fault_errno;

	enum cx_termination termination;
	int exit_code;         /* 0..255; 128+n after a signal */
	int signal;            /* that ended the command, else 0 */
	struct cx_report_stream out, err;
	int64_t wall_ms;
	int64_t cpu_ms;            /* -1: not known, as in all that follow */
	int64_t memory_peak_bytes;
	int64_t oom_kills;
	int64_t pids_peak;
	int64_t pids_hits;
	int64_t throttled_us;      /* held back by the CPU limit */
	int64_t pressure_us[CX_REPORT_PRESSURES]; /* waited for it */
	int64_t tmp_peak_kib;
	bool file_limit_hit;       /* a process met RLIMIT_FSIZE (SIGXFSZ) */
	bool leftovers;            /* processes outlived the command; killed */
	bool landlock;             /* the second layer stood */
	bool enforced[CX_QUOTA_LIMITS];
	int64_t setup_us;          /* start to the command's exec */

	struct cx_outside *rest;   /* what is yet to be removed; owned */
};

/* Waits until nothing of the sandbox is left: processes, mounts, groups. By
 * cx_report_done at the latest. The command and all that it started are dead
 * before cx_box_run returns; what goes on meanwhile is the kernel's work. */
void cx_report_settle(struct cx_report *report);

void cx_report_done(struct cx_report *report);

#define CX_AUTO_REPORT __attribute__((cleanup(cx_report_done)))

#endif
