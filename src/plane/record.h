/*
 * record.h - one audit record for each command, by best effort.
 *
 * The decision stands before the record is written, so a failing log never
 * reaches the caller: cx_record_append returns nothing. What went wrong is
 * counted in the sink, for the tool to say once on standard error.
 *
 * An allowed record opens no database. A denied one with the same key
 * (organization, actor, run, surface, reason) as one of the last 60 seconds is
 * counted in cx.db instead, and the count goes beside the next one written.
 */
#ifndef CX_PLANE_RECORD_H
#define CX_PLANE_RECORD_H

#include "model/event.h"
#include "plane/config.h"
#include "store/db.h"
#include "store/segment.h"
#include "store/state.h"

/* Set up with cx_record_open; end with cx_record_done. */
struct cx_record_sink {
	const struct cx_state *state; /* borrowed */
	struct cx_db *db;             /* borrowed; only denied records use it */
	enum cx_segment_sync sync;    /* cx_record_sync(config) */
	struct cx_segment log;    /* opened by the first record */
	bool is_open;
	uint64_t written;
	uint64_t suppressed;      /* by the cooldown */
	uint64_t duplicate;       /* stood there already, by their key */
	uint64_t failed;
	uint64_t torn_bytes;      /* set aside by recovery on the way */
	uint64_t last_index;      /* of the last record written */
	struct cx_err first;      /* the first failure; CX_E_NONE: none */
};

/* audit.sync of the configuration. */
enum cx_segment_sync cx_record_sync(const struct cx_config *config);

/* Touches nothing on disk. */
void cx_record_open(const struct cx_state *state, struct cx_db *db,
                    enum cx_segment_sync sync, struct cx_record_sink *ret);

/* Opens the log ahead of the first record; what fails now, that one tells. */
void cx_record_ready(struct cx_record_sink *sink);

/*
 * Writes the event under its idempotency key ("jobId/n" for a command; 1 to
 * 128 of A-Z a-z 0-9 . _ : / -): a second one with the key of a recent record
 * is that record, and nothing is written. A cwd outside its grammar, which
 * comes from a hostile document, is kept as null.
 */
void cx_record_append(struct cx_record_sink *sink,
                      const struct cx_event *event,
                      const char *idempotency_key);

/* The same for a row that stands for an earlier process ("lost"): the key is
 * looked for in the whole log. */
void cx_record_append_late(struct cx_record_sink *sink,
                           const struct cx_event *event,
                           const char *idempotency_key);

/* The same for who appends as its purpose: 0 when the record stands in the
 * log, or was counted by the cooldown (see the sink's counts), else -1. */
int cx_record_try(struct cx_record_sink *sink, const struct cx_event *event,
                  const char *idempotency_key, bool late, struct cx_err *err);

/* audit_unavailable, in one line for standard error, about all that failed;
 * false when nothing did. */
bool cx_record_complaint(const struct cx_record_sink *sink,
                         struct cx_err *ret_err);

void cx_record_done(struct cx_record_sink *sink);

#endif
