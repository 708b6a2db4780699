/*
 * tarout.h - a workspace as a tar file, with the digest of every file.
 *
 * POSIX pax: names of any length and bytes, holes as GNU tar's sparse format
 * 1.0, links as links, further names of a file as hard links. Sockets, pipes
 * and devices are listed and left out.
 */
#ifndef CX_STORE_TAROUT_H
#define CX_STORE_TAROUT_H

#include <stdbool.h>

#include "base/err.h"
#include "data/json.h"

/* Holes are digested as the zeros that they read as; a file that is longer
 * than this has a null digest. */
#define CX_TAROUT_DIGEST_MAX_BYTES (4ULL << 30)

/* Of the paths in one list. */
enum { CX_TAROUT_LIST_MAX_BYTES = 32 * 1024 * 1024 };

/* Writes everything below top_fd to out_fd. Appends {path, type, size, mode,
 * sha256 or target} of each entry to files, a list (NULL: none is wanted);
 * *ret_truncated: not of all, the paths were too long together. */
int cx_tarout_write(int top_fd, int out_fd, json_t *files, bool *ret_truncated,
                    struct cx_err *err);

#endif
