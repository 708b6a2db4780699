/*
 * late.h - what a sandbox gets that was made ahead of its command.
 *
 * Its init waits on the control socket, with everything done that is alike for
 * every command of one profile. There comes one message: the working folder,
 * the environment and the command as texts, the workspace's mount and standard
 * input as descriptors. The socket's end comes instead when nobody needs it.
 */
#ifndef CX_BOX_LATE_H
#define CX_BOX_LATE_H

#include "box/enter.h"

enum { CX_LATE_BYTES_MAX = 32768, CX_LATE_TEXTS_MAX = 1024 };

/* Init's own, in its copy of the launcher's memory: it has no heap. */
struct cx_late {
	struct cx_profile profile;
	struct cx_box box;
	char *text[CX_LATE_TEXTS_MAX];
	char body[CX_LATE_BYTES_MAX];
};

/* Tells the init at the other end of control_fd. 0; -1 when it is gone, or
 * box has too much to tell. */
int cx_late_send(int control_fd, const struct cx_box *box, int workspace_fd);

/* The step of init. */
int cx_late_take(struct cx_enter *enter, const struct cx_plan_item *item);

#endif
