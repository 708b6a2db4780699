/* rand.h - random bytes from getrandom(2), and from nowhere weaker. */
#ifndef CX_BASE_RAND_H
#define CX_BASE_RAND_H

#include <stddef.h>

#include "base/err.h"

/* Fills data; a failing getrandom is CX_E_INTERNAL with exit 71. */
int cx_rand_fill(void *data, size_t size, struct cx_err *err);

#endif
