/*
 * entrance.h - connections and questions that come in at a listener.
 */
#ifndef CX_GATEWAY_ENTRANCE_H
#define CX_GATEWAY_ENTRANCE_H

#include "gateway/flow.h"

/* The listener is readable. */
void cx_entrance_serve(struct cx_flow *flow, struct cx_job_listener *listener);

/* A program's DNS connection has more to ask (ASK). */
void cx_entrance_ask(struct cx_flow *flow, struct cx_tunnel *tunnel);

#endif
