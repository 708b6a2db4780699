/*
 * prjquota.h - a folder as a project of its file system, whose quota the file
 * system holds for all that is below (ext4, xfs).
 *
 * It is a wall only for whoever stands in a user namespace: outside of one,
 * the owner of a file may take it out of its project.
 */
#ifndef CX_SYS_PRJQUOTA_H
#define CX_SYS_PRJQUOTA_H

#include <stdbool.h>
#include <stdint.h>

/* The file system of fd keeps projects within their limits. */
bool cx_prjquota_can(int fd);

/*
 * The folder's limits: KiB and inodes, its own included. A folder without a
 * project, which must be empty, gets one that nobody uses; callers hold a lock
 * that two never choose at once. 0 or -1, errno.
 */
int cx_prjquota_limit(int folder_fd, uint64_t kib, uint64_t inodes);

#endif
