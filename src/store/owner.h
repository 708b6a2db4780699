/*
 * owner.h - whom an unpacked layer's files belong to.
 *
 * A store that others may read is a place where an archive from anywhere could
 * leave a setuid program, or a folder that any user of this machine writes
 * into, so that every sandbox would see it. So on disk everything belongs to
 * the store's owner, nothing is setuid, setgid or sticky, and nothing is
 * writable by group or others. The sandbox loses nothing by it: it mounts the
 * layer read-only, without setuid, under ids of its own.
 *
 * The true owner and mode stand in the layer's tar, and, where they differ
 * from what is on disk, in the extended attribute user.cx.own as
 * "uid:gid:mode" (mode in octal), for whoever builds on the layer.
 */
#ifndef CX_STORE_OWNER_H
#define CX_STORE_OWNER_H

#include "store/entry.h"

#define CX_OWNER_XATTR "user.cx.own"

/* The permissions that stand on disk for entry. */
mode_t cx_owner_mode(const struct cx_entry *entry);

/* Writes the attribute where it is needed; a file system without such
 * attributes does without. */
void cx_owner_keep(int fd, const struct cx_entry *entry);

#endif
