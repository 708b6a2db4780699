/*
 * jcs.h - the forms of canonical JSON (RFC 8785) that claims and caveats are
 * made of: literals, texts without control characters, whole numbers.
 *
 * What is read here has one spelling, so reading checks the canonical form by
 * itself and needs no JSON parser before the bytes are known to be exact.
 */
#ifndef CX_MODEL_JCS_H
#define CX_MODEL_JCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The greatest whole number of a JSON number that every reader agrees on. */
#define CX_JCS_NUMBER_MAX INT64_C(9007199254740991)

/* Reads on from at; each function that returns false leaves it anywhere. */
struct cx_jcs {
	const char *at, *end;
};

/* Exactly these bytes come next, and are passed over. */
bool cx_jcs_take(struct cx_jcs *reader, const char *literal);

/* The next byte is this one; nothing is passed over. */
bool cx_jcs_sees(const struct cx_jcs *reader, char byte);

/* A text in quotes, of less than size bytes, its final NUL included in size.
 * Only \" and \\ are escapes; no byte below 0x20. UTF-8 isn't checked. */
bool cx_jcs_read_text(struct cx_jcs *reader, char *ret, size_t size);

/* A whole number from -CX_JCS_NUMBER_MAX to CX_JCS_NUMBER_MAX. */
bool cx_jcs_read_number(struct cx_jcs *reader, int64_t *ret);

/* Nothing is left. */
bool cx_jcs_ended(const struct cx_jcs *reader);

void cx_jcs_write_text(const char *text, struct cx_buf *ret);
void cx_jcs_write_number(int64_t number, struct cx_buf *ret);

#endif
