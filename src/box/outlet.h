/*
 * outlet.h - the two output pipes: read, kept, counted, digested, passed on.
 *
 * Nothing here waits. A reader that is behind stops the reading of the stream
 * that is for it, so that the command waits for its reader as in any pipeline;
 * when the run is to end, the pipes are read all the same.
 */
#ifndef CX_BOX_OUTLET_H
#define CX_BOX_OUTLET_H

#include <poll.h>
#include <stdbool.h>

#include "box/box.h"
#include "box/hasher.h"
#include "box/stream.h"

struct cx_outlet {
	const struct cx_box_hooks *hooks;
	struct cx_stream stream[2];
	int fd[2];              /* borrowed; -1 once it has ended */
	char *buffer;           /* owned */
	size_t buffer_bytes;
	struct cx_hasher hasher;
	bool may_hash;          /* a long stream gets a hasher */
	bool hurried;           /* no reader is waited for any more */
};

/* What it waits for, in its own order. */
enum { CX_OUTLET_FDS = 5 };

void cx_outlet_start(const struct cx_box_hooks *hooks,
                     const struct cx_quota *quota, const int fd[2],
                     struct cx_outlet *ret);

/* What to poll for next, -1 where nothing. */
void cx_outlet_expect(const struct cx_outlet *outlet,
                      struct pollfd ret[CX_OUTLET_FDS]);

/* Does what poll said of that; false: a stream went over a cap that ends the
 * command. */
bool cx_outlet_take(struct cx_outlet *outlet,
                    const struct pollfd ready[CX_OUTLET_FDS]);

/* Both pipes are read to their ends. */
bool cx_outlet_is_over(const struct cx_outlet *outlet);

/* Reads no more. */
void cx_outlet_stop(struct cx_outlet *outlet);

/* Moves what was kept into the report; nothing of it is left. */
void cx_outlet_end(struct cx_outlet *outlet, struct cx_report *ret);

#endif
