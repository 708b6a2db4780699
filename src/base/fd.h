/*
 * fd.h - descriptors: cleanup, whole reads and writes, whole files.
 *
 * Every descriptor is close-on-exec from birth. A path from outside is always
 * a folder's descriptor and a name, opened by base/path.h.
 */
#ifndef CX_BASE_FD_H
#define CX_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

void cx_fd_close_at(int *fd);   /* for CX_AUTO_FD; -1 is nothing */
int cx_fd_take(int *fd);        /* hands it over, leaves -1 behind */

#define CX_AUTO_FD __attribute__((cleanup(cx_fd_close_at)))

/* Writes all bytes, going on after EINTR and short writes. 0 or -1, errno. */
int cx_fd_write(int fd, const void *data, size_t size);

/* Reads exactly size bytes; fewer only at end of file. The count or -1. */
ssize_t cx_fd_read(int fd, void *data, size_t size);

/* Reads to end of file. More than max bytes is CX_E_INPUT_INVALID ("what is
 * over N bytes"); reading stops there. */
int cx_fd_slurp(int fd, size_t max, const char *what, struct cx_buf *ret,
                struct cx_err *err);

/* A whole file below dir_fd (AT_FDCWD: our own paths only). A missing file is
 * exit 66 (err->sys == ENOENT). */
int cx_fd_load(int dir_fd, const char *name, size_t max, struct cx_buf *ret,
               struct cx_err *err);

/* now is the file that before was, and nothing was written to it since: as
 * long as a descriptor of before is open, no other file gets its inode. */
struct stat;
bool cx_fd_unchanged(const struct stat *before, const struct stat *now);

/* Owned by us, and nobody else may write it. */
bool cx_fd_is_ours(const struct stat *found);

/* Replaces dir_fd/name by a temporary file, fsync, rename, fsync of the
 * folder: after a crash the old or the new bytes stand there, whole. */
int cx_fd_replace(int dir_fd, const char *name, const void *data, size_t size,
                  mode_t mode, struct cx_err *err);

#endif
