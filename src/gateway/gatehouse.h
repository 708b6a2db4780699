/*
 * gatehouse.h - a gateway at work: the data path and the control connections
 * in one loop, from its start to its end.
 */
#ifndef CX_GATEWAY_GATEHOUSE_H
#define CX_GATEWAY_GATEHOUSE_H

#include "data/shape.h"

enum { CX_GATEHOUSE_LISTEN_MAX = 4 };

extern const struct cx_shape cx_gatehouse_shape; /* {control, listen} */

struct cx_gatehouse_wish {
	const char *socket;     /* path of the control socket; NULL: in run/ of
	                           the state */
	bool private;           /* control is standard input, and its end is
	                           the gateway's */
	const char *resolver;   /* ADDRESS:PORT; NULL: /etc/resolv.conf's */
	const char *listen[CX_GATEHOUSE_LISTEN_MAX]; /* ADDRESS:PORT, shared */
	size_t listens;
	uint32_t tunnels;       /* at once, all jobs together */
	uint32_t drain_ms;      /* what runs may go on for so long at the end */
};

struct cx_gatehouse;

/* Everything stands and is watched; *ret_where says where, {control, listen}.
 * Both are the caller's. */
int cx_gatehouse_open(const struct cx_gatehouse_wish *wish,
                      struct cx_gatehouse **ret, json_t **ret_where,
                      struct cx_err *err);

/* Shuts the process in (enclosure.h): before the first turn. */
int cx_gatehouse_enclose(const struct cx_gatehouse *house, struct cx_err *err);

/* Serves until a signal that waits (base/interrupt), or, private, the end of
 * the connection; then what runs goes on until it has ended, at most for
 * drain_ms. */
void cx_gatehouse_run(struct cx_gatehouse *house);

void cx_gatehouse_free(struct cx_gatehouse *house);

#endif
