/* passkey.h - the secret of an instance's gateway: its key of that purpose. */
#ifndef CX_PLANE_PASSKEY_H
#define CX_PLANE_PASSKEY_H

#include "plane/ring.h"

/*
 * The active key of purpose gateway; the caller wipes it. With make, the first
 * one is made when the instance has none. CX_E_KEY_MISSING and its like.
 */
int cx_passkey_read(const struct cx_state *state, bool make,
                    uint8_t ret_key[CX_RING_KEY_BYTES], struct cx_err *err);

#endif
