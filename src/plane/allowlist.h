/*
 * allowlist.h - entries of a job's allowlist, as people write them.
 *
 * Names in other scripts become A-labels here and nowhere else (IDNA 2008,
 * libidn2). An entry that is a public suffix (libpsl) would let in whoever
 * registers a name under it, so it is refused, as is one that matches all.
 */
#ifndef CX_PLANE_ALLOWLIST_H
#define CX_PLANE_ALLOWLIST_H

#include "base/err.h"
#include "model/decide.h"

enum {
	CX_ALLOWLIST_TEXT_MAX = 1024, /* bytes of one entry */
	CX_ALLOWLIST_MAX = 1024,      /* entries */
};

/* CX_E_INPUT_INVALID: the text says what is wrong with it. */
int cx_allowlist_read(const char *text, struct cx_entry *ret,
                      struct cx_err *err);

#endif
