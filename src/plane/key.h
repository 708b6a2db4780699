/*
 * key.h - making keys and moving them through their states.
 *
 * Everything here holds the lock on keys/ while it works. A key file is
 * written and synced before the ring names it, so after a crash at any point
 * the ring is whole and each of its keys is there.
 */
#ifndef CX_PLANE_KEY_H
#define CX_PLANE_KEY_H

#include "plane/ring.h"

/* The instance's id: 128 random bits, made with the first key, in the file
 * instance beside keys/. */
enum { CX_KEY_INSTANCE_MAX = 33 }; /* 32 hexadecimal digits and NUL */

/*
 * Makes a key. kid NULL: one of our own ("k" and random base32). The file is
 * made with O_EXCL and 0600. A kid that is in the ring already is
 * CX_E_INPUT_INVALID.
 */
int cx_key_add(const struct cx_state *state, enum cx_ring_purpose purpose,
               const char *kid, enum cx_ring_state key_state,
               char ret_kid[CX_RING_KID_MAX], struct cx_err *err);

/* Makes the first key of a purpose, active, unless the ring has one of any
 * state by now (another process may have been faster); *ret_kid then is "". */
int cx_key_first(const struct cx_state *state, enum cx_ring_purpose purpose,
                 char ret_kid[CX_RING_KID_MAX], struct cx_err *err);

/* To active: what was active of its purpose turns verify-only. To retired:
 * for good. An unknown kid, or a way back, is CX_E_INPUT_INVALID. */
int cx_key_change(const struct cx_state *state, const char *kid,
                  enum cx_ring_state to, struct cx_err *err);

/* Absent: CX_E_KEY_MISSING. Not 32 digits: CX_E_KEY_INVALID. */
int cx_key_instance(const struct cx_state *state,
                    char ret_id[CX_KEY_INSTANCE_MAX], struct cx_err *err);

#endif
