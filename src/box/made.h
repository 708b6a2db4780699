/*
 * made.h - the top layer, made by us: /etc files and mount points.
 *
 * It holds nothing of the machine's: every sandbox has the same passwd, group,
 * hosts, resolv.conf, hostname, machine-id and nsswitch.conf, whatever its
 * image brought. It is made once beside the layers (roots/.made-<version>), by
 * rename out of their drafts, so that one that is there is whole; a store that
 * can't be written gets it in each sandbox anew.
 */
#ifndef CX_BOX_MADE_H
#define CX_BOX_MADE_H

#include "base/err.h"

/* The folder's name beside the layers, where it is made, and the host name
 * inside. */
#define CX_MADE_NAME ".made-2"
#define CX_MADE_DRAFTS ".tmp" /* of store/cas.h */
#define CX_MADE_HOST "sandbox"

/* Fills the empty folder at dir_fd. Async-signal-safe. 0 or -1, errno. */
int cx_made_fill(int dir_fd);

/* Makes it in roots_fd, a folder of layers, unless it is there. 0 or -1,
 * errno (EACCES, EROFS: not ours to write). */
int cx_made_publish(int roots_fd);

#endif
