/*
 * request.h - from a client's first byte to a connected origin: read, judged,
 * looked up, judged again, dialled.
 */
#ifndef CX_GATEWAY_REQUEST_H
#define CX_GATEWAY_REQUEST_H

#include "gateway/flow.h"

/* The client may have sent more of a head (HEAD). */
void cx_request_read(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* A connection that asked for no proxy: slot->target is where it went. */
void cx_request_arrive(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The resolver's answer (RESOLVE). */
void cx_request_told(struct cx_flow *flow, struct cx_tunnel *tunnel,
                     enum cx_lookup lookup, const struct cx_addr *answer,
                     size_t answers);

/* An attempt's socket has news, or -1: its head start is over (DIAL). */
void cx_request_dialled(struct cx_flow *flow, struct cx_tunnel *tunnel,
                        int attempt);

/* The client may have sent more of its first bytes (PREFACE). */
void cx_request_preface(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The next request of a kept connection is looked for. */
void cx_request_again(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* From here on its bytes pass: those that came early, then the rest. */
void cx_request_open(struct cx_flow *flow, struct cx_tunnel *tunnel);

#endif
