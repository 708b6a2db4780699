/*
 * turn.h - whose turn it is in a workspace: a flock on <key>/turn.
 *
 * The lease on <key> (store/lock.h) keeps a workspace from being collected and
 * is shared by all who use it or wait for it. The turn, beside it, says who may
 * touch what is in it: the commands of a job share one, a command in a named
 * workspace and a dry run have it alone. A killed holder's is free at once.
 */
#ifndef CX_STORE_TURN_H
#define CX_STORE_TURN_H

#include <stdint.h>

#include "base/err.h"

enum cx_turn_mode {
	CX_TURN_NONE,    /* doesn't touch what is in it */
	CX_TURN_SHARED,
	CX_TURN_ALONE,
};

enum { CX_TURN_PATIENT = -1 };

struct cx_turn {
	enum cx_turn_mode mode;
	int64_t wait_ms;            /* 0: not at all; CX_TURN_PATIENT */
	int cancel_fd;              /* readable: don't wait any more; -1 */
	void (*waits)(void *context); /* called once, after a second; NULL */
	void *context;
};

/* Not its turn in time, or cancelled: CX_E_STORE_BUSY. The descriptor is the
 * turn; -1 with CX_TURN_NONE. */
int cx_turn_take(int folder_fd, const struct cx_turn *wish, int *ret_fd,
                 struct cx_err *err);

#endif
