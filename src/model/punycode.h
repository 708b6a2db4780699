/*
 * punycode.h - whether a label that says it is an A-label is one (RFC 3492,
 * RFC 5890): it decodes, to something else than ASCII, and encodes to itself.
 */
#ifndef CX_MODEL_PUNYCODE_H
#define CX_MODEL_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>

/* text[size] is what stands behind "xn--", lower case. */
bool cx_punycode_is_valid(const char *text, size_t size);

#endif
