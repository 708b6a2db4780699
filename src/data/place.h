/* place.h - where in a text a byte stands, and the message that says so. */
#ifndef CX_DATA_PLACE_H
#define CX_DATA_PLACE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct cx_place { size_t line, column; }; /* both from 1 */

/* Lines end at LF, CR LF or CR; a column is a character, not a byte. */
struct cx_place cx_place_of(const char *text, size_t size, size_t at);

/* input_invalid: "what: line L, column C: message", with the pointer, of
 * which only whole reference tokens are kept. Returns -1. */
int cx_place_fail(struct cx_err *err, const char *what, struct cx_place place,
                  const char *pointer, const char *message);

#endif
