/*
 * warden.h - a program that has something to clean up, outliving us.
 *
 * mmdebstrap mounts, unpacks and removes below a folder of its own, in several
 * processes. When we are killed it must still end and clean up. So a warden
 * stands between: in a session and (as root) a mount namespace of its own, it
 * starts the program as a process group, passes its messages on, and holds the
 * read end of our lifeline. When that closes (because we let go, or died) it
 * ends the group by SIGTERM, takes in what it says meanwhile (a closed pipe
 * would stop its cleaning), and itself ends with the program's status.
 */
#ifndef CX_BUILD_WARDEN_H
#define CX_BUILD_WARDEN_H

#include "base/spawn.h"

struct cx_warden {
	pid_t pid;        /* of the warden: its end is the program's */
	int lifeline_fd;  /* close it to end the program */
};

/* Starts what; its out_fd and err_fd may be closed afterwards. folder, the
 * program's own for temporary files, is removed after it. As cx_spawn_start
 * where the program isn't there. */
int cx_warden_start(const struct cx_spawn *what, const char *folder,
                    struct cx_warden *ret, struct cx_err *err);

#endif
