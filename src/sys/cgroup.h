/*
 * cgroup.h - one group for each command: limits that hold, ends that are
 * certain, counters that are evidence.
 *
 * Three worlds, one face. On pure v2 a command has one folder with everything
 * in it, and is born there. On v1 it has one in each of memory, pids and cpu,
 * cpuacct where CPU time is limited, and freezer where the caller opened one.
 * On the hybrid it is as on v1: v2's own folder could kill and count as well,
 * but only what was born in it, so that the group would have to stand before
 * init does (sys/subtree.c leaves it out, and what is here can do both).
 *
 * The launcher holds a lock (flock) on its group for as long as it lives, so
 * that whoever sweeps can tell a dead launcher's groups from the living ones'
 * without trusting a process number. The maker holds that lock by a
 * descriptor in struct cx_cgroup: a child must let go of it (close_range) and
 * the sweeper must be forked before the group is made.
 */
#ifndef CX_SYS_CGROUP_H
#define CX_SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/hierarchy.h"
#include "sys/limit.h"
#include "sys/subtree.h"

/* A group's folders are named by the command's id behind this. */
#define CX_CGROUP_PREFIX "cx."

/* 0 leaves a limit out. */
struct cx_cgroup_limits {
	uint64_t memory_bytes; /* swap is pinned: none beside it */
	uint64_t pids;
	uint64_t cpu_milli;    /* 1000 is one CPU, 10 at least */
};

struct cx_cgroup {
	int fd[CX_HIERARCHY_TREES]; /* owned and locked; its folders, or -1 */
	const struct cx_subtree *subtree; /* not owned */
	unsigned holds;             /* enum cx_limit that this group holds */
	char name[72];              /* the folder's name in every tree */
};

/* Makes the group of command id (letters, digits, '-', 64 bytes at most) and
 * writes its limits; ret->holds says which. Fails (isolation_unavailable)
 * only when a folder that should be there can't be made. */
int cx_cgroup_make(const struct cx_subtree *subtree, const char *id,
                   const struct cx_cgroup_limits *limits,
                   struct cx_cgroup *ret, struct cx_err *err);

/* For clone3's CLONE_INTO_CGROUP, -1 when there is no v2 folder (or none that
 * this process may clone into). Not given away. */
int cx_cgroup_clone_fd(const struct cx_cgroup *group);

/* The calling process (of one thread) enters the v1 folders by writing "0" to
 * `tasks`: it must be in the clone_fd already. In the child, before it opens
 * anything up or drops anything; async-signal-safe. 0 or -1, errno. */
int cx_cgroup_enter(const struct cx_cgroup *group);

/* SIGKILL to everything inside: cgroup.kill, or freeze, kill each, thaw.
 * Returns at once; 0 when none is left or all were signalled, -1 errno. */
int cx_cgroup_kill(const struct cx_cgroup *group);

/* Stops or continues everything inside. 0 or -1, errno (ENOSYS: no means). */
int cx_cgroup_freeze(const struct cx_cgroup *group, bool frozen);

/* Removes the folders, waiting up to wait_ms for the last process to be gone,
 * and lets the lock go. 0 or -1 with errno EBUSY (the sweeper takes it up). */
int cx_cgroup_remove(struct cx_cgroup *group, int wait_ms);

/* Kills and removes groups whose launcher is dead, and returns how many folders
 * it removed: id's, or (id NULL) all that are older than two seconds, as the
 * lock of a younger one may not be taken yet. Not for the hot path: some 3
 * microseconds for each living group. The sweeper calls it when its launcher
 * died, and once when it has begun. */
int cx_cgroup_sweep(const struct cx_subtree *subtree, const char *id);

#endif
