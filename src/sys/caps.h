/*
 * caps.h - capabilities: all five sets emptied, and the way back shut.
 *
 * Async-signal-safe, so that they serve between clone and exec.
 */
#ifndef CX_SYS_CAPS_H
#define CX_SYS_CAPS_H

#include <stdbool.h>

/* no_new_privs: from here on no exec gains anything. 0 or -1, errno. */
int cx_caps_no_new_privs(void);

/* Empties ambient, bounding, effective, permitted and inheritable of the
 * calling process, after locking the secure bits (uid 0 means nothing)
 * where it still may. 0 or -1, errno. */
int cx_caps_drop(void);

/* The same of a process that may have none to begin with: without
 * CAP_SETPCAP the bounding set stays, and with no_new_privs, which must be
 * set, nothing in it can be got any more. 0 or -1, errno. */
int cx_caps_resign(void);

/* True when it has none, and can get none: the ambient, effective, permitted
 * and inheritable sets are empty and no_new_privs is set. */
bool cx_caps_resigned(void);

/* True when all five sets are empty and no_new_privs is set. */
bool cx_caps_none(void);

#endif
