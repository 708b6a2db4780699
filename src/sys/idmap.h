/*
 * idmap.h - user namespaces with one user in them, and mounts seen through
 * them.
 */
#ifndef CX_SYS_IDMAP_H
#define CX_SYS_IDMAP_H

#include <stdbool.h>
#include <sys/types.h>

/* One id of each kind: inside is outside. */
struct cx_idmap {
	uid_t inner_uid, outer_uid;
	gid_t inner_gid, outer_gid;
};

/* True when this process can give a namespace ids that aren't its own, and
 * mount: CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID, and uid 0 of a namespace
 * in which every id is mapped. */
bool cx_idmap_is_privileged(void);

/* Somebody has to stand in a user namespace while its map is written: a child
 * that shares our memory, on a stack of its own, until it is collected. */
struct cx_idmap_stand {
	pid_t pid;   /* 0: none */
	pid_t owner; /* whom it doesn't outlive */
	char stack[8192] __attribute__((aligned(16)));
};

/* Makes a user namespace with this map; its descriptor, -1 and errno. For the
 * privileged. The stand is to be released once there is time for its end, and
 * collected some time later; until then *stand must stay where it is. */
int cx_idmap_make(const struct cx_idmap *map, struct cx_idmap_stand *stand);
void cx_idmap_release(const struct cx_idmap_stand *stand);
void cx_idmap_collect(struct cx_idmap_stand *stand);

/* The calling process, alone in a new user namespace of which outer_* are its
 * ids outside, writes the map by itself, through proc_fd, a writable /proc.
 * Leaves it not dumpable. Async-signal-safe. 0 or -1, errno. */
int cx_idmap_self(int proc_fd, const struct cx_idmap *map);

/* Enters a namespace that cx_idmap_make made and becomes inner_* in it, with
 * all capabilities there and none elsewhere. Async-signal-safe. 0 or -1. */
int cx_idmap_enter(int userns_fd, const struct cx_idmap *map);

/* A detached mount is seen through the map of userns_fd from now on (Linux
 * 5.12; ENOSYS, or EINVAL when the file system can't). 0 or -1, errno. */
int cx_idmap_mount(int tree_fd, int userns_fd);

#endif
