/*
 * dial.h - a tunnel's pinned addresses, dialled one after the other with a
 * head start (RFC 8305), IPv6 and IPv4 in turn; and nothing but them.
 */
#ifndef CX_GATEWAY_DIAL_H
#define CX_GATEWAY_DIAL_H

#include "gateway/flow.h"

enum cx_dialled {
	CX_DIAL_ON,
	CX_DIAL_DONE,
	CX_DIAL_FAILED,
	CX_DIAL_FULL, /* no descriptor is left to dial with */
};

/* slot->pin and slot->target are what is dialled. DONE, at any time: the
 * origin end is connected, to one of them, and watched. */
enum cx_dialled cx_dial_begin(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The origin of the last request is this one's as well, and still there; else
 * the end that there was is closed. */
bool cx_dial_is_kept(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* An attempt's socket has news. */
enum cx_dialled cx_dial_event(struct cx_flow *flow, struct cx_tunnel *tunnel,
                              unsigned attempt);

/* The head start of the last one is over. */
enum cx_dialled cx_dial_tick(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* Attempts that are still open are given up. */
void cx_dial_stop(struct cx_tunnel *tunnel);

#endif
