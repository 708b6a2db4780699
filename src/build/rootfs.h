/* rootfs.h - the tar of a root file system as an image of one layer. */
#ifndef CX_BUILD_ROOTFS_H
#define CX_BUILD_ROOTFS_H

#include "build/import.h"

/* The layer's content is the tar as it is; the image's digest follows from it
 * and the name alone. fd is read from where it stands. */
int cx_rootfs_take(const struct cx_cas *cas, int fd,
                   const struct cx_import *import,
                   char ret_digest[CX_DIGEST_TEXT], struct cx_err *err);

#endif
