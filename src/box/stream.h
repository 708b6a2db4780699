/*
 * stream.h - one output stream: count all, digest all, keep some.
 *
 * Up to its cap a stream is kept whole. Beyond it, where the policy is to
 * truncate, the first quarter of the cap and the last three quarters are kept;
 * where it is to kill, the first cap bytes. Cuts never split a UTF-8
 * character: what would be half of one is left out.
 */
#ifndef CX_BOX_STREAM_H
#define CX_BOX_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "box/report.h"
#include "data/digest.h"
#include "model/quota.h"

struct cx_stream {
	size_t cap;
	enum cx_quota_cap policy;
	struct cx_buf kept;       /* head, then the tail as a ring */
	size_t ring_at;           /* where the ring's oldest byte is */
	uint64_t total_bytes, total_lines;
	struct cx_digest_stream digest;
};

void cx_stream_start(uint64_t cap, enum cx_quota_cap policy,
                     struct cx_stream *ret);
void cx_stream_add(struct cx_stream *stream, const char *data, size_t size);

/* As cx_stream_add, but the caller sees to the digest. */
void cx_stream_keep(struct cx_stream *stream, const char *data, size_t size);

/* More than the cap came. */
bool cx_stream_is_over(const struct cx_stream *stream);

/* Moves what was kept into *ret. */
void cx_stream_end(struct cx_stream *stream, struct cx_report_stream *ret);
void cx_stream_done(struct cx_stream *stream);

#endif
