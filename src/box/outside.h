/*
 * outside.h - the steps outside, and everything that is to be undone.
 */
#ifndef CX_BOX_OUTSIDE_H
#define CX_BOX_OUTSIDE_H

#include "box/enter.h"
#include "box/group.h"
#include "box/sweeper.h"
#include "sys/cgroup.h"
#include "sys/idmap.h"
#include "sys/subtree.h"
#include "sys/usage.h"

struct cx_outside {
	const struct cx_box *box;
	struct cx_plan plan;
	struct cx_plan_world world;
	struct cx_subtree subtree;
	struct cx_subtree of_group; /* what this group needs of it; borrowed */
	bool guarded;              /* subtree is the guard's */
	bool leaves;               /* nobody waits for what ends by itself */
	bool adopted;              /* init was made ahead, and has its word */
	struct cx_cgroup group;
	bool grouped;              /* group was made */
	struct cx_sweeper sweeper;
	const struct cx_sweeper *helper; /* ours or the guard's; NULL */
	struct cx_idmap_stand stand;
	struct cx_group_aside aside;
	int control_fd;            /* our end; owned */
	int portal_fd;             /* of passage.h's pair; owned; -1 */
	int stream_fd[2];          /* read ends; owned */
	pid_t init_pid;            /* 0: none */
	unsigned holds;            /* enum cx_limit that hold */
	int64_t began_us;          /* CLOCK_MONOTONIC */
	int64_t cpu_base_us;       /* of the group's time, not the command's */
	struct cx_usage_files usage; /* of the group, while it runs; owned */
	struct cx_enter enter;     /* what init gets; its ends are closed here
	                              once it has them */
};

/* Looks at the machine, plans, checks, asks whether the limits can be held.
 * Nothing is made. *ret is zeroed before; cx_outside_done is due either way. */
int cx_outside_plan(const struct cx_box *box, struct cx_outside *ret,
                   struct cx_err *err);

/* The plan's steps outside; at the end init runs. The step that failed, with
 * errno in *ret_errno, or CX_STEP_NONE. */
enum cx_step cx_outside_go(struct cx_outside *outside, int *ret_errno);

/* The command's processes are gone and the counters read: has the group
 * removed, while the caller goes on; or, where it ended and the caller leaves
 * after it, once he is gone. */
void cx_outside_release(struct cx_outside *outside, bool ended);

/* Waits for init's end, removes the group, lets the sweeper go, closes. When
 * it leaves, the sweeper removes the group after all that. */
void cx_outside_done(struct cx_outside *outside);

#endif
