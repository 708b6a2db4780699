/*
 * disk.h - a workspace's own file system, in a file of a given size beside
 * data/: the volume's folder then holds disk, and what is in it is the
 * workspace.
 *
 * ext4 in a sparse file, made by mke2fs of the machine, never by a tool of an
 * image. Of its blocks exactly as many can be used as the quota has; the file
 * system's own don't count, and neither do those that it keeps back. Mounts
 * are attached nowhere, so they end with their descriptors.
 */
#ifndef CX_STORE_DISK_H
#define CX_STORE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The volume at lease_fd has one. */
bool cx_disk_is(int lease_fd);

/* Makes one; inodes are rounded up by the file system. A machine without
 * mke2fs is CX_E_QUOTA_UNENFORCEABLE. */
int cx_disk_make(int lease_fd, uint64_t kib, uint64_t inodes,
                 struct cx_err *err);

/* Takes it away again. */
void cx_disk_drop(int lease_fd);

/* Mounts it, once for all that use it at a time: the mount, which is there as
 * long as this is open, and the folder in it that is the workspace. */
int cx_disk_open(int lease_fd, int *ret_mount_fd, int *ret_data_fd,
                 struct cx_err *err);

#endif
