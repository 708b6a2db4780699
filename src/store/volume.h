/*
 * volume.h - workspaces: volumes/ws/<org>/<key>/{data,label,turn}.
 *
 * Where one stands says store/address.h. data/ is what a sandbox sees as
 * /workspace. The folder above it, out of the sandbox's reach, carries the
 * lease (a flock that all share who use it, and collection needs alone) and the
 * turn (store/turn.h), which a command in a named one has alone.
 *
 * One command's own workspace is passing: it has no label and goes with its
 * lease, or, untouched, is used again for the next (store/spare.h). What a
 * killed cx-run leaves of it is found by its free lease.
 */
#ifndef CX_STORE_VOLUME_H
#define CX_STORE_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/address.h"
#include "store/spare.h"
#include "store/turn.h"

struct cx_volume {
	int lease_fd;                 /* <key>/, locked */
	int turn_fd;                  /* -1: none was asked for */
	int data_fd;                  /* <key>/data, O_RDONLY, or what is in
	                                 its stead behind a wall */
	int mount_fd;                 /* of a file system of its own, or -1 */
	int org_fd;                   /* the folder that holds <key> */
	int spare_fd;                 /* of a passing one: where it may go */
	struct cx_spare_form form;    /* and how it was handed out */
	char key[CX_ADDRESS_KEY_MAX];  /* a name without a separator */
	bool made;                    /* by this call: it is empty */
	bool passing;                 /* goes when it is given back */
};

#define CX_VOLUME_NONE { .lease_fd = -1, .turn_fd = -1, .data_fd = -1, \
                         .mount_fd = -1, .org_fd = -1, .spare_fd = -1 }
#define CX_AUTO_VOLUME __attribute__((cleanup(cx_volume_done)))

/* Opens owner's workspace under a shared lease and the turn that is wished,
 * making it (empty, owned by 10001 when we are root) and its label when it
 * isn't there. CX_E_STORE_BUSY, CX_E_UNSAFE_VOLUME_NAME. */
int cx_volume_open(const struct cx_state *state,
                   const struct cx_volume_owner *owner,
                   const struct cx_turn *turn, struct cx_volume *ret,
                   struct cx_err *err);

/* A new passing one for a job id that nobody used before. */
int cx_volume_pass(const struct cx_state *state,
                   const struct cx_volume_owner *owner, struct cx_volume *ret,
                   struct cx_err *err);

/* What a killed process left of a passing one of owner's is removed; nothing
 * where another process is at it. */
void cx_volume_reclaim(const struct cx_state *state,
                       const struct cx_volume_owner *owner);

/* Opens one that is there; CX_E_IO_ERROR with exit 66 when it isn't. */
int cx_volume_find(const struct cx_state *state,
                   const struct cx_volume_owner *owner,
                   const struct cx_turn *turn, struct cx_volume *ret,
                   struct cx_err *err);

/* The folder in which the workspace stands, where what belongs to it and not
 * in it stands beside it; borrowed. */
int cx_volume_place(const struct cx_volume *volume);

/* Gives the lease back and closes. A workspace that passes, or that was marked
 * to be collected, goes with the last lease. */
void cx_volume_done(struct cx_volume *volume);

/* Marks owner's workspace to be collected, and collects it unless a command
 * runs in it; *ret_gone says which. One that isn't there is gone. */
int cx_volume_drop(const struct cx_state *state,
                   const struct cx_volume_owner *owner, bool *ret_gone,
                   struct cx_err *err);

/* Removes the workspace name of org_fd, which the caller leased alone as
 * lease_fd, unless the name means another folder by now. */
int cx_volume_remove(int org_fd, const char *name, int lease_fd,
                     struct cx_err *err);

#endif
