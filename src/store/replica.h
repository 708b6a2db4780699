/*
 * replica.h - a second tree that is to a command what the first one is.
 *
 * Bytes, holes, links, hard links, pipes and sockets, modes, owners, times and
 * attributes are the same. Where the file system can share blocks (FICLONE),
 * they are shared.
 */
#ifndef CX_STORE_REPLICA_H
#define CX_STORE_REPLICA_H

#include <stdbool.h>

#include "base/err.h"

struct cx_replica {
	int from_fd;    /* the first tree's top, O_RDONLY */
	int to_fd;      /* an empty folder, which becomes the second's */
	int index_fd;   /* another, beside it; the caller removes it after */
	bool own;       /* give all to the owners that it has in the first */
	int cancel_fd;  /* readable: give up; -1 */
};

/* CX_E_STORE_FULL, CX_E_IO_ERROR. */
int cx_replica_make(const struct cx_replica *replica, struct cx_err *err);

#endif
