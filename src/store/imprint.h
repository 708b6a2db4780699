/*
 * imprint.h - whether anything in a workspace was touched since.
 *
 * A digest over what the kernel knows of every entry: name, inode, kind, mode,
 * owner, size, times. A command can set every time but that of the change, so
 * that one is what counts. It is left out where our own walk, as an ordinary
 * user's, must open what its owner closed to himself: there the bytes and the
 * folder count, and an attribute alone that was changed isn't seen.
 */
#ifndef CX_STORE_IMPRINT_H
#define CX_STORE_IMPRINT_H

#include "base/err.h"
#include "data/digest.h"

int cx_imprint_take(int top_fd, struct cx_digest *ret, struct cx_err *err);

#endif
