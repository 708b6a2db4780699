/*
 * diff.h - two trees beside each other: what was added, modified, deleted.
 *
 * Bytes are compared, never times, which a command can set. A tree of any size
 * takes no more memory than its depth: what is there now is walked first, what
 * was there and isn't any more after it.
 */
#ifndef CX_STORE_DIFF_H
#define CX_STORE_DIFF_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

enum cx_diff_kind { CX_DIFF_ADDED, CX_DIFF_MODIFIED, CX_DIFF_DELETED };

struct cx_diff_side {
	int folder_fd;       /* borrowed: what holds name */
	struct stat stat;
};

struct cx_diff_change {
	enum cx_diff_kind kind;
	const char *path;    /* from the top; "." is the top itself */
	const char *name;    /* its last part, on both sides */
	struct cx_diff_side was;  /* not of what was added */
	struct cx_diff_side is;   /* not of what was deleted */
	bool attributes;     /* extended ones differ */
};

typedef int cx_diff_visit(const struct cx_diff_change *change, void *context,
                          struct cx_err *err);

/* Shows each difference; was_fd -1 is an empty tree. Kind, mode, bytes of a
 * file, target of a link and extended attributes count. A visit that fails
 * ends it. */
int cx_diff_trees(int was_fd, int is_fd, cx_diff_visit *visit, void *context,
                  struct cx_err *err);

#endif
