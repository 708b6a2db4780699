/*
 * forward.h - a plain request and its answer, each with a head that is
 * written anew and a body that is passed on as it is framed.
 *
 * Neither side's framing is believed where two readers could differ
 * (model/head, model/chunk). Behind a message nothing is read on until both
 * are through: the next request of the connection is judged by itself.
 */
#ifndef CX_GATEWAY_FORWARD_H
#define CX_GATEWAY_FORWARD_H

#include "gateway/flow.h"

/* The origin is connected: sends the request's head to it. */
void cx_forward_begin(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* One turn of both directions. */
void cx_forward_turn(struct cx_flow *flow, struct cx_tunnel *tunnel);

#endif
