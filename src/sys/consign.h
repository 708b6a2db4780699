/*
 * consign.h - a portal's sockets from the process that opened them to the one
 * that hands them over, through a socket pair of theirs (SCM_RIGHTS).
 */
#ifndef CX_SYS_CONSIGN_H
#define CX_SYS_CONSIGN_H

#include "sys/portal.h"

/* In one message; portal keeps its own. 0 or -1, errno. Async-signal-safe. */
int cx_consign_send(int fd, const struct cx_portal *portal);

/* Waits for it: 1 and *ret, which is owned; 0 at the end; -1, errno. */
int cx_consign_receive(int fd, struct cx_portal *ret);

#endif
