/*
 * berth.h - a box takes what its standing guard has ready.
 */
#ifndef CX_BOX_BERTH_H
#define CX_BOX_BERTH_H

#include "box/guard.h"
#include "box/outside.h"

/* The sweeper, and the network namespace. 0 or -1, errno. */
int cx_berth_use(struct cx_guard *guard, struct cx_outside *outside);

/* Is the user namespace there, and its map the one that enter wants? If not,
 * it is let go, and the caller makes another in its place. */
bool cx_berth_fits(struct cx_guard *guard, const struct cx_enter *enter);

/* enter gets a descriptor of it. 0 or -1, errno. */
int cx_berth_share(struct cx_guard *guard, struct cx_enter *enter);

/* The group that was made ahead, if it is as this box's is to be; the next is
 * made like this one. */
bool cx_berth_group(struct cx_outside *outside,
                    const struct cx_cgroup_limits *limits);

#endif
