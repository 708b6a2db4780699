/*
 * entrance.h - connections and questions that come in at a listener.
 */
#ifndef CX_GATEWAY_ENTRANCE_H
#define CX_GATEWAY_ENTRANCE_H

#include "gateway/flow.h"

/*
 * One more connection of this job's may be taken: it is within what was
 * registered, and leaves places for the others. A job may hold three times as
 * many as are free (a dynamic threshold, Choudhury and Hahne, 1998), so one
 * alone may have three quarters, two that take all they can three sevenths
 * each; and a few in any case.
 */
bool cx_entrance_has_room(const struct cx_flow *flow,
                          const struct cx_job *job);

/* The listener is readable. */
void cx_entrance_serve(struct cx_flow *flow, struct cx_job_listener *listener);

/* A program's DNS connection has more to ask (ASK). */
void cx_entrance_ask(struct cx_flow *flow, struct cx_tunnel *tunnel);

#endif
