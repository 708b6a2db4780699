/*
 * rewrite.h - a request's head as it goes to the origin (RFC 9110, 7.6).
 *
 * The target of the request line decides, so Host is made from it. What was
 * meant for us alone (credentials, hop-by-hop fields and those that
 * Connection names) stays here; nothing of the framing can be named away. What
 * becomes a WebSocket (upgrade.h) is said to, and nothing else.
 */
#ifndef CX_MODEL_REWRITE_H
#define CX_MODEL_REWRITE_H

#include "model/decide.h"
#include "model/head.h"

enum {
	/* what is added to a head at most: Host, Via, Connection */
	CX_REWRITE_MORE_BYTES = 512,
};

/* The size, or 0: there is no room. close: the origin is to close after its
 * answer. */
size_t cx_rewrite_head(const struct cx_head *head, const char *data,
                       const struct cx_target *target, bool close,
                       char *ret, size_t room);

/* An answer's head as it goes to the client. close: the connection ends
 * behind it. */
size_t cx_rewrite_reply(const struct cx_head *head, const char *data,
                        bool close, char *ret, size_t room);

/* The field is for us alone. */
bool cx_rewrite_drops(const struct cx_head *head, const char *data,
                      const struct cx_field *field);

/* host, host:port or [address]:port as Host says it; port 80 isn't said.
 * The length. */
size_t cx_rewrite_host(const struct cx_target *target, char *ret, size_t room);

#endif
