/*
 * pending.h - a dry run's changes, which wait: pending/ and pending.base in
 * the workspace's place (cx_volume_place), beside its data/.
 *
 * pending/ is the workspace as it would be. The file tells, in a line of JSON,
 * what it was made of: {"imprint", "inode", "made"}; without it nothing waits.
 * All functions need the turn in the workspace, alone.
 *
 * A commit exchanges data and pending, in one call: a process that is killed
 * before it has done nothing, one that is killed after it has left the old data
 * in pending/, which is told by its inode and removed by whoever looks next.
 */
#ifndef CX_STORE_PENDING_H
#define CX_STORE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/digest.h"

#define CX_PENDING "pending"
#define CX_PENDING_BASE "pending.base"

struct cx_pending {
	int data_fd;              /* owned, O_RDONLY */
	struct cx_digest imprint; /* of the workspace before */
	uint64_t inode;           /* of its data/ */
	int64_t made;             /* seconds since 1970 */
};

#define CX_PENDING_NONE { .data_fd = -1 }
#define CX_AUTO_PENDING __attribute__((cleanup(cx_pending_done)))

/* Writes such a file: what stands beside it was made of base_fd, which looked
 * so. */
int cx_pending_note(int place_fd, const char *name, int base_fd,
                    const struct cx_digest *imprint, struct cx_err *err);

/* What waits in a place; CX_E_IO_ERROR with exit 66 when nothing does. */
int cx_pending_open(int place_fd, struct cx_pending *ret, struct cx_err *err);

/* Something waits there; to say so, without a turn. */
bool cx_pending_is_there(int place_fd);

/* The workspace base_fd isn't what it was made of any more. */
int cx_pending_is_stale(const struct cx_pending *pending, int base_fd,
                        bool *ret_stale, struct cx_err *err);

/* Puts it in the workspace's place: CX_E_WORKSPACE_CHANGED unless the
 * workspace base_fd is as it was. */
int cx_pending_commit(int place_fd, int base_fd,
                      const struct cx_pending *pending, struct cx_err *err);

/* Also what a killed process left of some. */
int cx_pending_discard(int place_fd, struct cx_err *err);

void cx_pending_done(struct cx_pending *pending);

#endif
