/*
 * hierarchy.h - where the cgroup hierarchies are mounted.
 *
 * The usual places (/sys/fs/cgroup and below) are tried first and judged by
 * their file system; mountinfo, which grows with every container on the
 * machine, is read only when nothing is there.
 */
#ifndef CX_SYS_HIERARCHY_H
#define CX_SYS_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which groups are made. */
enum cx_hierarchy_tree {
	CX_HIERARCHY_UNIFIED, /* v2: with controllers, or (hybrid) without */
	CX_HIERARCHY_MEMORY,  /* the rest are v1 */
	CX_HIERARCHY_PIDS,
	CX_HIERARCHY_CPU,
	CX_HIERARCHY_CPUACCT, /* -1 when it is mounted as one with cpu */
	CX_HIERARCHY_FREEZER,
	CX_HIERARCHY_TREES
};

struct cx_hierarchy {
	int fd[CX_HIERARCHY_TREES]; /* owned; roots of the mounts, or -1 */
	bool v2;                    /* pure v2: the controllers are there */
};

void cx_hierarchy_find(struct cx_hierarchy *ret);

/* As found in a mountinfo file; for machines that mount them elsewhere. */
void cx_hierarchy_read(int dir_fd, const char *mountinfo,
                       struct cx_hierarchy *ret);

void cx_hierarchy_done(struct cx_hierarchy *hierarchy);

/* The path of the calling process in the unified tree, without its leading
 * slash; -1 when it isn't in one or the path leads out of the mount. */
int cx_hierarchy_self(char *ret, size_t size);

/* "unified", "memory", "pids", "cpu", "cpuacct", "freezer". */
const char *cx_hierarchy_name(enum cx_hierarchy_tree tree);

#endif
