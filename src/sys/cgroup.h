/*
 * cgroup.h - one group for each command: limits that hold, ends that are
 * certain, counters that are evidence.
 *
 * Three worlds, one face. On pure v2 a command has one folder with everything
 * in it. On v1 it has one in each of memory, pids and cpu (and cpuacct and
 * freezer where nothing better counts and kills). On the hybrid it has the v1
 * ones for the limits and an empty-handed v2 one for kill, freeze, CPU time
 * and CLONE_INTO_CGROUP.
 *
 * Every group stands under a parent that is ours alone: "cx" below the
 * hierarchy's mount for root; for an ordinary user "cx/u<uid>", which root
 * made once with cx_cgroup_delegate, or on v2 the delegated subtree that the
 * launcher itself sits in. Nothing outside of such a parent is ever removed,
 * killed or written to, except that root switches the controllers on for it.
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
#include <sys/types.h>

#include "base/err.h"

/* Where a group stands, in the order in which groups are made. */
enum cx_cgroup_tree {
	CX_CGROUP_UNIFIED, /* v2: with controllers, or (hybrid) without */
	CX_CGROUP_MEMORY,  /* the rest are v1 */
	CX_CGROUP_PIDS,
	CX_CGROUP_CPU,
	CX_CGROUP_CPUACCT, /* -1 when it is the cpu tree, or v2 counts */
	CX_CGROUP_FREEZER, /* -1 when v2 kills */
	CX_CGROUP_TREES
};

/* What can be held, as bits. */
enum cx_cgroup_limit {
	CX_CGROUP_HOLDS_MEMORY = 1 << 0,
	CX_CGROUP_HOLDS_SWAP = 1 << 1, /* no swap beside the memory limit */
	CX_CGROUP_HOLDS_PIDS = 1 << 2,
	CX_CGROUP_HOLDS_CPU = 1 << 3,
	CX_CGROUP_HOLDS_ALL = (1 << 4) - 1,
};

/* The parents, opened once for each launcher. */
struct cx_cgroup_parents {
	int fd[CX_CGROUP_TREES]; /* owned, -1 where there is none */
	unsigned holds;          /* limits that a group made here can have */
	bool v2;                 /* the unified tree has the controllers */
};

/* 0 leaves a limit out. */
struct cx_cgroup_limits {
	uint64_t memory_bytes; /* swap is pinned: none beside it */
	uint64_t pids;
	uint64_t cpu_milli;    /* 1000 is one CPU, 10 at least */
};

struct cx_cgroup {
	int fd[CX_CGROUP_TREES]; /* owned; the group's folders, -1 */
	int lock_fd;             /* owned: "its launcher lives" */
	const struct cx_cgroup_parents *parents; /* not owned */
	unsigned holds;          /* limits that this group does hold */
	char name[72];           /* the folder's name in every tree */
};

/* Finds our parents and makes them where that is allowed. A machine without
 * any usable hierarchy isn't an error: then every fd is -1 and holds is 0. */
void cx_cgroup_find(struct cx_cgroup_parents *ret);
void cx_cgroup_forget(struct cx_cgroup_parents *parents);

/* The limits of `wanted` that don't hold, by name: 0 when all do, or when
 * those that don't are all in best_effort; else quota_unenforceable, naming
 * the limits and both remedies. Asked of parents before anything is made, and
 * of the made group before anything runs. */
int cx_cgroup_require(unsigned wanted, unsigned holds, unsigned best_effort,
                      struct cx_err *err);

/* "memory", "swap", "pids", "cpu"; the bit of a name, 0 when unknown.
 * "memory" in best_effort stands for swap as well. */
const char *cx_cgroup_limit_name(enum cx_cgroup_limit limit);
unsigned cx_cgroup_limit_find(const char *name);

/* Makes the group of command id (letters, digits, '-', 64 bytes at most) and
 * writes its limits; ret->holds says which. Fails (isolation_unavailable)
 * only when a folder that should be there can't be made. */
int cx_cgroup_make(const struct cx_cgroup_parents *parents, const char *id,
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

/* Kills and removes every group here whose launcher is dead; returns how many
 * it removed. Not for the hot path: about 3 microseconds a living group. The
 * sweeper calls it when its launcher died and once when it has begun. */
int cx_cgroup_sweep(const struct cx_cgroup_parents *parents);

/* As root: makes the subtrees in which user's runs may limit themselves and
 * gives them to that user. On v2 `enter` (a process of that user, 0 for none)
 * is moved in, since there a launcher must sit inside of its subtree. */
int cx_cgroup_delegate(const char *user, pid_t enter, struct cx_err *err);

#endif
