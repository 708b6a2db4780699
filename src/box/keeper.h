/*
 * keeper.h - the process that an OCI runtime's container can't outlive.
 *
 * What box/sweeper.c is natively. It stands in a mount namespace of its own,
 * whose tmpfs at CX_KEEPER_BUNDLE holds the bundle and the runtime's own
 * records, so that both go with it: a container is deleted by the runtime in
 * there, when the launcher says so or is dead.
 */
#ifndef CX_BOX_KEEPER_H
#define CX_BOX_KEEPER_H

#include <sys/types.h>

#include "box/box.h"
#include "sys/subtree.h"

/* A folder that every machine has and no runtime looks into. */
#define CX_KEEPER_BUNDLE "/sys/bus"
#define CX_KEEPER_STATE CX_KEEPER_BUNDLE "/state"

struct cx_keeper {
	pid_t pid;        /* 0: none */
	int lifeline_fd;  /* the only write end; owned */
	int busy_fd;      /* who may still be making the container holds this
	                     write end; owned */
};

#define CX_KEEPER_NONE { .pid = 0, .lifeline_fd = -1, .busy_fd = -1 }

/* Its namespace stands when this returns. path is the runtime's program. 0 or
 * -1, errno. */
int cx_keeper_start(const struct cx_subtree *subtree, const struct cx_box *box,
                    const char *path, struct cx_keeper *ret);

/* A file of the bundle, opened from outside; -1, errno. */
int cx_keeper_open(const struct cx_keeper *keeper, const char *name);

/* Has the container deleted, and waits for the keeper's end. */
void cx_keeper_dismiss(struct cx_keeper *keeper);

#endif
