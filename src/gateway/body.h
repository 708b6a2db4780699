/*
 * body.h - the body of a request or of an answer, passed on as it is framed.
 */
#ifndef CX_GATEWAY_BODY_H
#define CX_GATEWAY_BODY_H

#include "gateway/flow.h"

/* What slot->body says beside enum cx_head_body. */
enum {
	CX_BODY_DONE = CX_HEAD_CHUNKED + 1, /* there is none */
	CX_BODY_UNTIL_END,
};

/* How a direction's turn ended. */
enum cx_body_turn {
	CX_BODY_WAIT,
	CX_BODY_AGAIN,
	CX_BODY_THROUGH, /* its message is through */
	CX_BODY_GONE,    /* the tunnel is closed */
};

enum cx_body_turn cx_body_pass(struct cx_flow *flow, struct cx_tunnel *tunnel,
                               int way);

/* What a head left over goes first. WAIT, GONE, or THROUGH. */
enum cx_body_turn cx_body_flush(struct cx_flow *flow, struct cx_tunnel *tunnel,
                                int way);

#endif
