/*
 * pax.h - records of a POSIX pax header: "<length> <name>=<value>\n", where
 * length counts itself.
 */
#ifndef CX_STORE_PAX_H
#define CX_STORE_PAX_H

#include <stdint.h>

#include "base/buf.h"

void cx_pax_add(struct cx_buf *ret, const char *name, const char *value);
void cx_pax_add_number(struct cx_buf *ret, const char *name, uint64_t value);

#endif
