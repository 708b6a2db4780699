/*
 * rehearsal.h - a dry run on its way: rehearsal/ and rehearsal.base in the
 * workspace's place (cx_volume_place), beside its data/.
 *
 * rehearsal/ is a replica of the workspace, and the command's /workspace; the
 * file says what the workspace was like. A copy, and no overlay: on one, a
 * hard link loses its others at the first write, a folder can't be renamed, and
 * what is over the quota can't be measured; and this way a commit is one
 * exchange of two folders.
 *
 * Whoever holds the workspace's turn alone may use it; what a killed process
 * left goes with the next who does.
 */
#ifndef CX_STORE_REHEARSAL_H
#define CX_STORE_REHEARSAL_H

#include <stdbool.h>

#include "base/err.h"
#include "store/address.h"

struct cx_rehearsal {
	int place_fd;     /* borrowed: cx_volume_place of the workspace */
	int data_fd;    /* owned: rehearsal/ */
	bool is_open;   /* it is there */
};

#define CX_REHEARSAL_NONE { .place_fd = -1, .data_fd = -1 }

/* Makes the folder, with nothing in it. */
int cx_rehearsal_make(int place_fd, struct cx_rehearsal *ret,
                      struct cx_err *err);

/* Copies the workspace base_fd into it, which is open as data_fd. own: files
 * keep their owners. cancel_fd readable ends it. */
int cx_rehearsal_fill(const struct cx_rehearsal *rehearsal, int base_fd,
                      int data_fd, bool own, int cancel_fd,
                      struct cx_err *err);

/* Its changes wait from now on, in place of those that waited before. */
int cx_rehearsal_keep(struct cx_rehearsal *rehearsal, struct cx_err *err);

/* Removes it, unless it was kept. */
void cx_rehearsal_done(struct cx_rehearsal *rehearsal);

/* Removes what a killed process left in a place. 0 or -1, errno. */
int cx_rehearsal_clear(int place_fd);

/* Removes what a killed process left in owner's workspace, unless another is at
 * it. */
void cx_rehearsal_reclaim(const struct cx_state *state,
                          const struct cx_volume_owner *owner);

#endif
