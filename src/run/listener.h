/*
 * listener.h - the socket of cx-run serve, and who may connect to it.
 *
 * A Unix socket that only its owner may open (0600), and every peer is asked
 * for its uid (SO_PEERCRED): ours and root's may talk, whatever became of the
 * file's mode.
 */
#ifndef CX_RUN_LISTENER_H
#define CX_RUN_LISTENER_H

#include <sys/stat.h>

#include "store/state.h"

struct cx_listener {
	int fd;            /* -1: none */
	int folder_fd;     /* where it stands */
	char name[64];
	struct stat made;  /* of the socket's file */
};

#define CX_LISTENER_NONE { .fd = -1, .folder_fd = -1 }

/* Listens at path; NULL: run/serve.sock of the state. What a dead server left
 * there goes. A living one is CX_E_STORE_BUSY. */
int cx_listener_start(const struct cx_state *state, const char *path,
                      struct cx_listener *ret, struct cx_err *err);

/* The next connection, when its peer may talk, -1 otherwise: it was told. */
int cx_listener_accept(int listen_fd);

/* Removes the file, unless it is another's by now. */
void cx_listener_remove(const struct cx_listener *listener);

void cx_listener_done(struct cx_listener *listener);

#define CX_AUTO_LISTENER __attribute__((cleanup(cx_listener_done)))

#endif
