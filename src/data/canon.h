/* canon.h - RFC 8785 canonical JSON (JCS). */
#ifndef CX_DATA_CANON_H
#define CX_DATA_CANON_H

#include "data/json.h"

/* Appends value in canonical form: keys sorted by UTF-16 code units, ECMAScript
 * numbers, minimal escapes. */
void cx_canon_write(const json_t *value, struct cx_buf *ret);

/* Appends a double as ECMAScript's Number.prototype.toString gives it. */
void cx_canon_number(double value, struct cx_buf *ret);

/* text is exactly the canonical form of the one value that it parses to. */
bool cx_canon_is(const char *text, size_t size, const json_t *value);

#endif
