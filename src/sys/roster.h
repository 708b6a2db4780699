/*
 * roster.h - the groups that stand in a subtree, found by a command's id.
 *
 * For who has the subtree and not the group: init, and the sweeper. All are
 * async-signal-safe.
 */
#ifndef CX_SYS_ROSTER_H
#define CX_SYS_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/subtree.h"

/* Makes the folder of this name and locks it, as one whose launcher lives; its
 * descriptor, or -1 and errno, and then it isn't there. */
int cx_roster_make(int parent_fd, const char *name);

/* Whether the folder that fd stands for is still the one of that name. */
bool cx_roster_is(int parent_fd, const char *name, int fd);

/* A folder of command id's group stands in one of the trees. */
bool cx_roster_has(const struct cx_subtree *subtree, const char *id);

/* Folders of other groups than command id's stand in the subtree. */
bool cx_roster_has_others(const struct cx_subtree *subtree, const char *id);

/* The calling process (of one thread) enters the v1 folders of command id's
 * group, as cx_cgroup_enter does. 0 or -1, errno. */
int cx_roster_join(const struct cx_subtree *subtree, const char *id);

/* Removes the folders of command id's group, which have no process in them or
 * won't have one in a moment: waits up to wait_us. False when one stays. */
bool cx_roster_remove(const struct cx_subtree *subtree, const char *id,
                      int64_t wait_us);

#endif
