/* secret.h - the 32 bytes of a key's file. */
#ifndef CX_PLANE_SECRET_H
#define CX_PLANE_SECRET_H

#include "plane/ring.h"

/*
 * Reads the file of an entry; the caller wipes the bytes. Absent:
 * CX_E_KEY_MISSING. A link, another owner's, or one that others may read:
 * CX_E_KEY_PERMISSIONS. No regular file, not 32 bytes, all zero, or for an
 * algorithm that isn't the purpose's: CX_E_KEY_INVALID.
 */
int cx_secret_read(const struct cx_ring *ring,
                   const struct cx_ring_entry *entry,
                   uint8_t ret_key[CX_RING_KEY_BYTES], struct cx_err *err);

#endif
