/*
 * relay.h - a command's streams passed on as they come (--raw).
 *
 * A reader that is slow, or stopped, must not keep the launcher from its
 * deadlines: nothing is written here that would block. What waits is kept, up
 * to CX_RELAY_MAX_BYTES a stream; what comes beyond is dropped and counted.
 */
#ifndef CX_RUN_RELAY_H
#define CX_RUN_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { CX_RELAY_MAX_BYTES = 64 * 1024 * 1024 };

struct cx_relay_stream {
	struct cx_buf waiting;
	size_t written;       /* of waiting, from its start */
	bool broken;          /* nobody reads it any more */
};

struct cx_relay {
	struct cx_relay_stream stream[2]; /* to descriptors 1 and 2 */
	uint64_t dropped;
	int error;            /* errno of the first write that failed, but for
	                         EPIPE; 0: none */
};

/* Bytes of stream 1 or 2. One that can't be written, for a reader that went
 * away or a full disk, raises SIGPIPE, which is blocked and so cancels. */
void cx_relay_add(struct cx_relay *relay, int stream, const char *data,
                  size_t size);

/* Writes what can be written without blocking. */
void cx_relay_push(struct cx_relay *relay);

/* Writes the rest, however long that takes. */
void cx_relay_finish(struct cx_relay *relay);

void cx_relay_done(struct cx_relay *relay);

#endif
