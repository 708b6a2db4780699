/*
 * b64.h - RFC 4648 base64 (padded) and base64url (no padding).
 *
 * Reading is strict: one spelling for each byte string. No white space, no
 * other alphabet, no spare bits, padding exactly as the form says.
 */
#ifndef CX_BASE_B64_H
#define CX_BASE_B64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum cx_b64_form { CX_B64_PADDED, CX_B64_URL };

void cx_b64_write(enum cx_b64_form form, const void *data, size_t size,
                  struct cx_buf *ret);

/* Appends the bytes; on false nothing is appended. */
bool cx_b64_read(enum cx_b64_form form, const char *text, size_t length,
                 struct cx_buf *ret);

/* The same into CX_B64_ROOM(length) bytes, for text without padding. On false
 * what stands there is no more than a guess. */
#define CX_B64_ROOM(length) ((length) / 4 * 3 + 3)
bool cx_b64_decode(enum cx_b64_form form, const char *text, size_t length,
                   void *ret, size_t *ret_size);

#endif
