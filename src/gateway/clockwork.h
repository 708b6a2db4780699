/*
 * clockwork.h - deadlines of tunnels: all that wait for the same wait equally
 * long, so each kind of wait is a queue in the order of its deadlines.
 */
#ifndef CX_GATEWAY_CLOCKWORK_H
#define CX_GATEWAY_CLOCKWORK_H

#include "gateway/tunnel.h"

struct cx_clockwork {
	int64_t now_ms;
	const int64_t *span_ms;    /* CX_WAIT_COUNT */
	struct cx_tunnel *first[CX_WAIT_COUNT], *last[CX_WAIT_COUNT];
};

/* From now on it waits for this, and for nothing else. */
void cx_clockwork_wait(struct cx_clockwork *clockwork,
                       struct cx_tunnel *tunnel, enum cx_wait wait);

/* The one whose time is over; NULL. It waits for nothing then. */
struct cx_tunnel *cx_clockwork_next(struct cx_clockwork *clockwork,
                                    enum cx_wait *ret_wait);

/* Milliseconds until the next deadline; -1: there is none. */
int cx_clockwork_pause(const struct cx_clockwork *clockwork);

#endif
