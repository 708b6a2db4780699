/*
 * farewell.h - how a tunnel ends: told in words, told by a reset, or just done.
 */
#ifndef CX_GATEWAY_FAREWELL_H
#define CX_GATEWAY_FAREWELL_H

#include "gateway/flow.h"

/* Everything of it is closed, and its place is free. */
void cx_farewell_close(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The same, and both ends see that it broke. */
void cx_farewell_reset(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The last word was said to the client: what it still sends is dropped, so
 * that no reset overtakes the word, for a short time. */
void cx_farewell_linger(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* A ceiling of its job's is met, and there is more: what was taken before
 * still goes to its end, and nothing else. */
void cx_farewell_overdrawn(struct cx_tunnel *tunnel);

/* A ceiling is met: once both ends have all that was passed on (SPENT), or
 * don't take it, they see that it broke. To be called again and again. */
void cx_farewell_spent(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* More of it came, or its end. */
void cx_farewell_drain(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* An answer with this status, whose reason phrase and body name the reason;
 * whoever asked for no proxy, or got his 200 already, is reset. */
void cx_farewell_refuse(struct cx_flow *flow, struct cx_tunnel *tunnel,
                      uint16_t status, const char *reason);

/* The same for a judgement; it is counted. */
void cx_farewell_deny(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const struct cx_judgement *judgement);

/* The same, but no farewell: the client may ask for something else. false: it
 * didn't take the answer, and is to be closed. */
bool cx_farewell_answer(struct cx_flow *flow, struct cx_tunnel *tunnel,
                        const struct cx_judgement *judgement);

/* Writes such an answer; its size. */
size_t cx_farewell_word(uint16_t status, const char *reason, bool keep,
                        char *ret, size_t room);

#endif
