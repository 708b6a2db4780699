/*
 * relay.h - what a command says, passed on as it comes (--raw, --follow).
 *
 * A reader that is slow, or stopped, must not keep the launcher from its
 * deadlines: nothing is written here that would block. What waits is kept.
 * From CX_RELAY_FULL_BYTES on the command's stream isn't read any more, so
 * that it waits for its reader, as in any pipeline; only when the run is
 * coming to its end are the pipes read all the same, and what comes over
 * CX_RELAY_MAX_BYTES then is dropped and counted.
 */
#ifndef CX_RUN_RELAY_H
#define CX_RUN_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	CX_RELAY_FULL_BYTES = 1024 * 1024,
	CX_RELAY_MAX_BYTES = 64 * 1024 * 1024,
};

struct cx_relay_stream {
	struct cx_buf waiting;
	size_t written;       /* of waiting, from its start */
	bool broken;          /* nobody reads it any more */
	int fd;               /* where it goes; owned above 2 */
};

struct cx_relay {
	struct cx_relay_stream stream[2]; /* to descriptors 1 and 2 */
	uint64_t dropped;
	int error;            /* errno of the first write that failed, but for
	                         EPIPE; 0: none */
};

void cx_relay_start(struct cx_relay *ret);

/* Bytes for descriptor 1 or 2. One that can't be written, for a reader that
 * went away or a full disk, raises SIGPIPE, which is blocked and so cancels. */
void cx_relay_add(struct cx_relay *relay, int number, const char *data,
                  size_t size);

/* The descriptor that something waits for, to poll for writing; -1: none. */
int cx_relay_waits_for(const struct cx_relay *relay, int number);

bool cx_relay_is_full(const struct cx_relay *relay, int number);

/* Writes what can be written without blocking. */
void cx_relay_push(struct cx_relay *relay);

/* Writes the rest, however long that takes. */
void cx_relay_finish(struct cx_relay *relay);

void cx_relay_done(struct cx_relay *relay);

#endif
