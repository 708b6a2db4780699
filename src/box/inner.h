/*
 * inner.h - the program that an OCI runtime starts as PID 1, as bytes.
 *
 * It is linked into this one (box/inner/first.c, static), so that it needn't
 * be looked for, and no file of the host is mounted for it.
 */
#ifndef CX_BOX_INNER_H
#define CX_BOX_INNER_H

#include <stddef.h>

/* Static storage. */
const void *cx_inner_get(size_t *ret_size);

#endif
