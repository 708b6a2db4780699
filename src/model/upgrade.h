/*
 * upgrade.h - from HTTP to a WebSocket on the same connection (RFC 6455, 4):
 * the one upgrade that is passed on. Anything else is asked for by nobody: its
 * Upgrade stays here.
 */
#ifndef CX_MODEL_UPGRADE_H
#define CX_MODEL_UPGRADE_H

#include "model/head.h"

/* The request asks for it: GET of HTTP/1.1 without a body, with one key, in
 * version 13, and nothing else to become. */
bool cx_upgrade_asks(const struct cx_head *head, const char *data);

/* The answer grants it: 101, and what it becomes is a WebSocket. */
bool cx_upgrade_grants(const struct cx_head *head, const char *data);

#endif
