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

/* True when all five sets are empty and no_new_privs is set. */
bool cx_caps_none(void);

#endif
