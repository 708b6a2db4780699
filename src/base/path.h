/*
 * path.h - paths from outside, opened below a folder and nowhere else.
 *
 * All go through openat2(2) with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and
 * RESOLVE_NO_MAGICLINKS (Linux 5.6); without it, component by component with
 * O_NOFOLLOW, to the same verdicts.
 */
#ifndef CX_BASE_PATH_H
#define CX_BASE_PATH_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* A relative path, no "", ".", ".." component, no NUL, no component over 255
 * bytes, at most 4095 bytes in all. */
bool cx_path_plain(const char *path);

/* A single component: no separator, not "", ".", "..". */
bool cx_path_name(const char *name);

/* No component "", ".", ".." or over 255 bytes, whatever the whole's length. */
bool cx_path_inside(const char *path);

/* A folder's entries from the first on, by a descriptor of their own; NULL and
 * errno. To be closed by closedir(3). */
DIR *cx_path_list(int dir_fd);

/* Whether a folder that can be read has no entries, without the memory that a
 * list of them takes. */
bool cx_path_is_empty(int dir_fd);

/* Opens path below dir_fd; flags as open(2), O_CLOEXEC added. -1 and errno:
 * ELOOP or EXDEV where a link or ".." would lead out. */
int cx_path_open(int dir_fd, const char *path, int flags, mode_t mode);

/* Makes the folder path below dir_fd, parents included. 0 or -1, errno. */
int cx_path_make(int dir_fd, const char *path, mode_t mode);

/* Removes what stands at name below dir_fd, folders with all in them: by
 * descriptors, never following a link, any depth (no recursion, at most 64
 * descriptors), folders without permission made accessible first.
 * 0 (also when nothing was there) or -1, errno. */
int cx_path_remove(int dir_fd, const char *name);

#endif
