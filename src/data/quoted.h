/* quoted.h - a JSON string, from quote to quote. */
#ifndef CX_DATA_QUOTED_H
#define CX_DATA_QUOTED_H

#include <stddef.h>

#include "base/buf.h"

struct cx_quoted {
	const char *text; /* decoded; in the input, or in the caller's buffer
	                     where escapes stood; no NUL in it or behind it */
	size_t size;
};

/* How many bytes from text on are ASCII and stand for themselves in a JSON
 * string: no control, quote or backslash. */
size_t cx_quoted_span(const char *text, size_t size);

/* Reads the string whose opening quote stands at *at, and moves *at behind
 * the closing one. NULL, or what is wrong, with *at on the fault. */
const char *cx_quoted_read(const char *text, size_t size, size_t *at,
                           struct cx_buf *decoded, struct cx_quoted *ret);

#endif
