/* layered.h - an image of a layout, taken layer by layer, digest for digest. */
#ifndef CX_BUILD_LAYERED_H
#define CX_BUILD_LAYERED_H

#include "build/import.h"

int cx_layered_take(const struct cx_cas *cas, int layout_fd,
                    const struct cx_import *import,
                    char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                    struct cx_err *err);

#endif
