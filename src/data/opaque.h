/*
 * opaque.h - bytes of any sort as JSON texts, each in memory once.
 */
#ifndef CX_DATA_OPAQUE_H
#define CX_DATA_OPAQUE_H

#include <jansson.h>
#include <stddef.h>

/* NUL, and each byte that isn't part of valid UTF-8, becomes U+FFFD. Owned. */
json_t *cx_opaque_text(const char *data, size_t size);

/* The bytes in base64, padded. Owned. */
json_t *cx_opaque_base64(const char *data, size_t size);

#endif
