/*
 * doorway.h - a Unix socket to be served at, and who may connect to it.
 *
 * Only its owner may open it (0600), and every peer is asked for its uid
 * (SO_PEERCRED): ours and root's may talk, whatever became of the file's mode.
 */
#ifndef CX_PLANE_DOORWAY_H
#define CX_PLANE_DOORWAY_H

#include <sys/stat.h>

#include "store/state.h"

struct cx_doorway {
	int fd;            /* -1: none */
	int folder_fd;     /* where it stands */
	char name[64];
	struct stat made;  /* of the socket's file */
};

#define CX_DOORWAY_NONE { .fd = -1, .folder_fd = -1 }

struct cx_doorway_wish {
	const char *path;  /* NULL: name in run/ of the state */
	const char *name;
	int type;          /* SOCK_STREAM, SOCK_SEQPACKET */
};

/* Listens, without waiting in accept. What a dead server left there goes. A
 * living one is CX_E_STORE_BUSY. */
int cx_doorway_open(const struct cx_state *state,
                      const struct cx_doorway_wish *wish,
                      struct cx_doorway *ret, struct cx_err *err);

/* The next connection, when its peer may talk, -1 otherwise: it was told. */
int cx_doorway_accept(int listen_fd);

/* Removes the file, unless it is another's by now. */
void cx_doorway_remove(const struct cx_doorway *door);

void cx_doorway_done(struct cx_doorway *door);

#define CX_AUTO_LISTENER __attribute__((cleanup(cx_doorway_done)))

#endif
