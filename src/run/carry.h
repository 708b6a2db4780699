/*
 * carry.h - files into a workspace before a command and out of it after:
 * --in and --out.
 *
 * The person's own paths are the person's: links in them are followed. What
 * stands in the workspace is the sandbox's: no link in it is followed, neither
 * way, and nothing but regular files and folders is touched.
 */
#ifndef CX_RUN_CARRY_H
#define CX_RUN_CARRY_H

#include <stdbool.h>

#include "data/json.h"

/* --out takes no longer file than this, holes and all. */
#define CX_CARRY_MAX_BYTES (4ULL << 30)

/* Copies the file or folder path to its last name in the workspace; own: what
 * is made belongs to 10001. A link, a pipe or the like at either end is
 * CX_E_UNSAFE_PATH. */
int cx_carry_in(const char *path, int data_fd, bool own, struct cx_err *err);

/* The name of path in the workspace (its last part). CX_E_USAGE. */
int cx_carry_name(const char *path, const char **ret_name, size_t *ret_length,
                  struct cx_err *err);

/* A path of --out without the /workspace/ that may stand before it. */
const char *cx_carry_below(const char *path);

/*
 * Copies the regular file path of the workspace (relative, or below
 * /workspace) to its last name in the current folder, in place of what stands
 * there. *ret_file is {path, size, sha256}, or, with the error that is
 * returned as well, {path, error}; owned.
 */
int cx_carry_out(const char *path, int data_fd, json_t **ret_file,
                 struct cx_err *err);

#endif
