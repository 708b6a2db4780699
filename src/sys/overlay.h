/*
 * overlay.h - layers as one read-only tree, with a superblock of its own.
 *
 * Two sandboxes that shared a superblock could signal to each other by flock
 * and inotify on its files; on overlays of their own they can't. Lower folders
 * are named relative to the working folder, so that mountinfo inside shows no
 * path of the host's.
 */
#ifndef CX_SYS_OVERLAY_H
#define CX_SYS_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/mount.h"

enum { CX_OVERLAY_BYTES_MAX = 4000 }; /* of all names together, escaped */

/*
 * Mounts the folders of lower (top first, two at least, relative names) over
 * the working folder and goes into the mount: the working folder is the
 * overlay's root afterwards. userxattr reads the marks of layers from user.*
 * attributes, for mounts in a user namespace (Linux 5.11). Longer lists than
 * the maximum fail with E2BIG. Async-signal-safe. 0 or -1, errno.
 */
int cx_overlay_enter(const char *const *lower, size_t count, bool userxattr,
                     unsigned attributes);

#endif
