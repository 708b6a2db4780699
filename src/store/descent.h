/*
 * descent.h - from a folder down a path of any length, through no link.
 *
 * Goes on from where it was when the next path begins alike, so a long chain
 * costs no more than its length.
 */
#ifndef CX_STORE_DESCENT_H
#define CX_STORE_DESCENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct cx_descent {
	int top_fd;          /* borrowed */
	int fd;              /* where it is; -1: at the top */
	struct cx_buf path;  /* of fd, from the top */
	bool chown;          /* folders that it makes go to owner */
	uid_t owner;
	uint64_t made;       /* folders that it made */
};

/*
 * Goes to the folder that holds the last part of path, making folders on the
 * way when make is set. *ret_fd is borrowed until the next call, *ret_name
 * points into path. A path that is absolute, has an empty part, "." or "..",
 * or leads over a link is CX_E_UNSAFE_PATH.
 */
int cx_descent_go(struct cx_descent *descent, const char *path, bool make,
                  int *ret_fd, const char **ret_name, struct cx_err *err);

void cx_descent_done(struct cx_descent *descent);

#endif
