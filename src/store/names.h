/*
 * names.h - the first name met of each file that has several.
 *
 * Bounded, since a sandbox chose the names.
 */
#ifndef CX_STORE_NAMES_H
#define CX_STORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { CX_NAMES_MAX = 1 << 18, CX_NAMES_MAX_BYTES = 64 * 1024 * 1024 };

struct cx_names {
	struct cx_name *slot; /* owned, open addressing */
	size_t capacity, count;
	size_t bytes;
};

/* 0: the inode is new, and path is kept for it. 1: *ret_first is the path that
 * it was met with first, borrowed. -1: there is no more room. */
int cx_names_meet(struct cx_names *names, uint64_t inode, const char *path,
                  const char **ret_first);

void cx_names_done(struct cx_names *names);

#endif
