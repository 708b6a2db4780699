/*
 * subtree.h - the part of each cgroup hierarchy that is ours alone.
 *
 * For root it is "cx" below the hierarchy's mount. For an ordinary user it is
 * "cx/u<uid>", which root made once with cx_subtree_delegate; on v2 it may
 * also be any folder of that user's in which the launcher sits one below
 * (what systemd gives a user's own services), since there a process can be
 * moved only below a folder that its mover may write.
 *
 * Nothing outside of these folders is ever removed, killed or written to,
 * except that root switches on the controllers that the folder needs.
 */
#ifndef CX_SYS_SUBTREE_H
#define CX_SYS_SUBTREE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "sys/hierarchy.h"

/* Opened once for each launcher. */
struct cx_subtree {
	int fd[CX_HIERARCHY_TREES]; /* owned, -1 where there is none */
	unsigned holds;             /* enum cx_limit that groups can hold */
	bool v2;                    /* the unified tree has the controllers */
};

/* Finds our folders, and makes them where that is allowed. A machine without
 * any usable hierarchy isn't an error: every fd is -1 then and holds is 0. */
void cx_subtree_find(struct cx_subtree *ret);
void cx_subtree_done(struct cx_subtree *subtree);

/* Whose folder it is: the effective uid, or, where that is root's of a user
 * namespace, the one behind it. */
unsigned cx_subtree_uid(void);

/* As root: makes the folders in which user (a name or a number) may make
 * groups, and gives them to that user. On v2 the process `enter` of that user
 * is moved in (0: none; -1: the nearest of our ancestors that is the user's,
 * so that "sudo cx-run delegate ada" moves ada's shell). */
int cx_subtree_delegate(const char *user, pid_t enter, struct cx_err *err);

#endif
