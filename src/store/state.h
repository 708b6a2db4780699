/*
 * state.h - the state folder: $CX_STATE, else /var/lib/cx for root, else
 * $XDG_STATE_HOME/cx, else ~/.local/state/cx.
 *
 * Who owns it is the operator. Everything below is reached from its
 * descriptor by name. Folders are made when something is first put into them;
 * reading never makes one.
 */
#ifndef CX_STORE_STATE_H
#define CX_STORE_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct cx_state {
	int fd;               /* the folder, O_PATH; -1 when closed */
	bool shared;          /* opened by cx_state_shared: only read */
	char path[PATH_MAX];  /* absolute; for messages and SQLite */
};

#define CX_STATE_NONE ((struct cx_state){ .fd = -1 })

/* The folders of the contract, parents before children. */
enum cx_state_folder {
	CX_STATE_KEYS,     /* 0700 */
	CX_STATE_OCI,      /* 0755 */
	CX_STATE_ROOTS,    /* 0755 */
	CX_STATE_WS,       /* volumes/ws, 0700 */
	CX_STATE_SKILLS,   /* volumes/skills, 0700 */
	CX_STATE_AUDIT,    /* 0700 */
	CX_STATE_CACHE,    /* 0700 */
	CX_STATE_RUN,      /* 0700 */
};

/*
 * Opens the state folder, making it (and its parents) when it isn't there.
 * One that belongs to another user, or that others may write, is
 * CX_E_CONFIG_INVALID. Close with cx_state_done.
 */
int cx_state_open(struct cx_state *ret, struct cx_err *err);

/* The same without making it: absent is err->sys == ENOENT, exit 66. */
int cx_state_find(struct cx_state *ret, struct cx_err *err);

/*
 * Another user's store at path, for reading layers only. *ret->fd stays -1,
 * and the call succeeds, when it isn't there, can't be read, or is the state
 * folder itself.
 */
int cx_state_shared(const char *path, const struct cx_state *state,
                    struct cx_state *ret, struct cx_err *err);

/* A folder of the state, made when absent; O_RDONLY | O_DIRECTORY. */
int cx_state_folder(const struct cx_state *state, enum cx_state_folder which,
                    int *ret_fd, struct cx_err *err);

/* The same without making it: *ret_fd is -1 when it isn't there. */
int cx_state_peek(const struct cx_state *state, enum cx_state_folder which,
                  int *ret_fd, struct cx_err *err);

void cx_state_done(struct cx_state *state);
#define CX_AUTO_STATE __attribute__((cleanup(cx_state_done)))

#endif
