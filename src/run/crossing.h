/*
 * crossing.h - one command's way through the gateway: registered before the
 * command is made, taken back when all its processes are dead.
 */
#ifndef CX_RUN_CROSSING_H
#define CX_RUN_CROSSING_H

#include "run/broker.h"
#include "run/order.h"
#include "sys/portal.h"

struct cx_crossing {
	struct cx_courier *courier;
	const struct cx_order *order;
	const char *id;          /* of the command */
	uint64_t max_bytes;      /* what is left of the document's ceiling */
	int toll_fd;            /* its job's, or -1 */
	bool registered;
};

/* Registers the command's listeners, which stay the caller's. */
int cx_crossing_open(struct cx_crossing *crossing,
                     const struct cx_portal *portal, struct cx_err *err);

/* Takes it back. The bytes that passed, both ways; -1: nobody knows. */
int64_t cx_crossing_close(struct cx_crossing *crossing);

#endif
