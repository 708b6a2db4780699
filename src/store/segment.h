/*
 * segment.h - the append-only log: audit/<origin>/seg-<first>.ndjson.
 *
 * One line each; beside it seg-<first>.meta with one line
 * {at, gap?, idempotencyKey, index, suppressed?} for each line, in the same
 * order. <first> is the index of a segment's first record. A segment ends at
 * 64 MiB, or at the first record of a new day (UTC).
 *
 * Writers are many processes. One takes the lock (a file of its own, which
 * also caches where the log ends), sets aside what a dead writer left torn,
 * writes the meta line with one write, then the event's line with one write:
 * that newline commits the record. So an event without a meta line can't be,
 * and a meta line without an event never was acknowledged. The cache is
 * believed only while both files have the sizes that it names and the machine
 * hasn't been started again since; else the ends of the files are read.
 *
 * Torn bytes go to quarantine/ and are never deleted. A whole line that is
 * bad is damage for a reader to report; appending goes on behind it.
 */
#ifndef CX_STORE_SEGMENT_H
#define CX_STORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/tail.h"

enum {
	CX_SEGMENT_BYTES = 64 * 1024 * 1024,
	CX_SEGMENT_ORIGIN = 40, /* bytes of a log's name, with the NUL */
};

enum cx_segment_sync {
	CX_SEGMENT_SYNC_NONE,  /* survives the process, not the power */
	CX_SEGMENT_SYNC_GROUP, /* on disk, one flush for all that wait */
	CX_SEGMENT_SYNC_EACH,  /* on disk, a flush of its own */
};

/* An open log. Its descriptors are close-on-exec. */
struct cx_segment {
	int dir_fd;   /* audit/<origin> */
	int lock_fd;
	struct cx_tail_boot boot;
	char origin[CX_SEGMENT_ORIGIN];
};

struct cx_segment_record {
	const char *line;      /* the event, no newline in it */
	size_t size;
	int64_t at_ms;         /* time of day */
	const char *key;       /* idempotency key (cx_margin_is_key) */
	uint64_t suppressed;   /* by the cooldown before this one; 0: none */
	bool search_all;       /* look for the key in the whole log, not only
	                          among the last records */
};

struct cx_segment_result {
	uint64_t index;
	bool duplicate;        /* the key stood there already: its index */
	uint64_t torn_bytes;   /* set aside before the write */
};

/* Opens the log of the state folder, made at the first call: audit/self is a
 * link to a folder with a random name, the origin. */
int cx_segment_open(int state_fd, struct cx_segment *ret, struct cx_err *err);

int cx_segment_append(const struct cx_segment *log,
                      const struct cx_segment_record *record,
                      enum cx_segment_sync sync,
                      struct cx_segment_result *ret, struct cx_err *err);

void cx_segment_done(struct cx_segment *log);

#endif
