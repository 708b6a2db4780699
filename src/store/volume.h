/*
 * volume.h - workspaces: volumes/ws/<org>/<key>/{data,label}.
 *
 * <org> is a digest of the organization's id, <key> names the run ("r-" and a
 * digest) or the job (its own id): never a text from outside. data/ is what a
 * sandbox sees as /workspace. The folder above it carries the lease (a flock
 * that commands share and collection needs alone), out of the sandbox's reach.
 *
 * What stands in data/ was written by the sandbox: it is walked by
 * descriptors, links are never followed, special files never opened, and
 * depth costs memory for a level and no descriptor.
 */
#ifndef CX_STORE_VOLUME_H
#define CX_STORE_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/state.h"

enum { CX_VOLUME_KEY_MAX = 67 }; /* bytes with the NUL */

struct cx_volume {
	int lease_fd;                 /* <key>/, locked */
	int data_fd;                  /* <key>/data, O_RDONLY */
	int org_fd;                   /* the folder that holds <key> */
	char key[CX_VOLUME_KEY_MAX];  /* a name without a separator */
	bool made;                    /* by this call */
};

#define CX_VOLUME_NONE { .lease_fd = -1, .data_fd = -1, .org_fd = -1 }
#define CX_AUTO_VOLUME __attribute__((cleanup(cx_volume_done)))

/* What the workspace is keyed on; exactly one of run_id, job_id is set. */
struct cx_volume_owner {
	const char *org_id;
	const char *user_id;
	const char *run_id;   /* or NULL */
	const char *job_id;   /* or NULL */
};

/* The key of owner. A job id outside [a-z0-9-]: CX_E_UNSAFE_VOLUME_NAME. */
int cx_volume_key(const struct cx_volume_owner *owner,
                  char ret_key[CX_VOLUME_KEY_MAX], struct cx_err *err);

/* Opens owner's workspace under a shared lease, making it (empty, owned by
 * 10001 when we are root) and its label when it isn't there. */
int cx_volume_open(const struct cx_state *state,
                   const struct cx_volume_owner *owner, struct cx_volume *ret,
                   struct cx_err *err);

/* Opens one that is there; CX_E_IO_ERROR with exit 66 when it isn't. */
int cx_volume_find(const struct cx_state *state,
                   const struct cx_volume_owner *owner, struct cx_volume *ret,
                   struct cx_err *err);

/* Gives the lease back and closes. A workspace that was marked to be collected
 * is collected by whoever gives the last lease back. */
void cx_volume_done(struct cx_volume *volume);

/* Marks owner's workspace to be collected, and collects it unless a command
 * runs in it; *ret_gone says which. One that isn't there is gone. */
int cx_volume_drop(const struct cx_state *state,
                   const struct cx_volume_owner *owner, bool *ret_gone,
                   struct cx_err *err);

/* Blocks (not apparent sizes) and inodes below data_fd; a file with several
 * names counts once. Stops early once kib or inodes is over max (0: no end).
 * A folder that changes under the walk isn't a fault. */
struct cx_volume_size { uint64_t kib, inodes; };
int cx_volume_measure(int data_fd, const struct cx_volume_size *max,
                      struct cx_volume_size *ret, struct cx_err *err);

#endif
