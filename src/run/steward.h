/*
 * steward.h - the process that makes workers, and outlives who asked for them.
 *
 * It is made before a key is read or a document comes in, so neither it nor a
 * worker has either in its memory. When the process that holds its socket is
 * done, or dead by whatever signal, the steward ends every worker; what a
 * worker's sandbox leaves goes as it does when a cx-run is killed.
 */
#ifndef CX_RUN_STEWARD_H
#define CX_RUN_STEWARD_H

#include <sys/types.h>

#include "run/broker.h"
#include "run/order.h"

enum { CX_STEWARD_WORKERS_MAX = 256 };

struct cx_steward {
	pid_t pid;   /* 0: none */
	int fd;      /* owned */
};

#define CX_STEWARD_NONE { .pid = 0, .fd = -1 }

/* What it is to see to besides. */
struct cx_steward_charge {
	int close_fd;                    /* the asker's alone; -1 */
	void (*farewell)(void *context); /* called when it ends; or NULL */
	void *context;
};

/* broker holds no key and no open database by now. charge may be NULL. */
int cx_steward_start(struct cx_broker *broker,
                     const struct cx_order_flags *flags,
                     const struct cx_steward_charge *charge,
                     struct cx_steward *ret, struct cx_err *err);

/* A worker at place number (from 0), in place of the one before; *ret_fd is
 * our end of its socket, owned. */
int cx_steward_hire(const struct cx_steward *steward, int number, int *ret_fd,
                    struct cx_err *err);

/* Ends all workers, and waits for that. orderly: their sockets are closed, and
 * they have a moment to put away what they have. */
void cx_steward_done(struct cx_steward *steward, bool orderly);

#endif
