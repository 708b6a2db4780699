/*
 * enter.h - from a fresh namespace to the command's exec, step by step.
 *
 * Theory of operation
 *
 *   launcher   outside. Makes a plan, the group, the pipes; clones init;
 *              watches (box/watch.c). Its end of the control socket is the
 *              lifeline.
 *   init       PID 1 inside, a fork of the launcher that never executes
 *              anything, of which only this file, tree.c and init.c run. No
 *              heap. Carries out the plan's items for it, makes the command,
 *              reaps, and ends when the lifeline does.
 *   command    PID 2. Shares init's memory until its exec (init sleeps), so
 *              that a step that fails is seen by init without a pipe.
 *   sweeper    outside, in a session of its own (box/sweeper.c).
 *
 * A process that runs box after box has an init wait at the step await for a
 * command that isn't known yet (box/standby.c); what is left to do then is
 * done with what comes by the control socket (box/late.c).
 *
 * Should: fail closed at each step. Init and the command write nothing but
 * the control message until the exec. Mustn't: touch the heap, keep another
 * sandbox's descriptors, run anything of the workspace or the image before
 * the last step.
 */
#ifndef CX_BOX_ENTER_H
#define CX_BOX_ENTER_H

#include <limits.h>
#include <sys/types.h>

#include "box/box.h"
#include "box/plan.h"
#include "box/porter.h"
#include "box/survey.h"
#include "sys/affinity.h"
#include "sys/subtree.h"

/* What init inherits. All descriptors are borrowed; -1 where there is none. */
struct cx_enter {
	const struct cx_box *box;
	const struct cx_plan *plan;
	struct cx_plan_world world;
	int control_fd;            /* init's end */
	int stream_fd[2];          /* write ends of standard output, error */
	int userns_fd;             /* privileged: the last user namespace */
	int network_ready_fd;      /* the sweeper's word; -1: there is none */
	int network_fd;            /* a namespace that is ready; -1 */
	int portal_fd;             /* init's end of passage.h's pair; -1 */
	pid_t network_pid;         /* privileged: who stands in the network
	                              namespace, and looks at it; 0: nobody
	                              does, or it was seen */
	int workspace_tree_fd;     /* privileged: detached copies of mounts */
	int skills_tree_fd;
	const struct cx_subtree *subtree; /* where groups stand */
	const char *group_id;      /* of the command's */
	uint64_t processes;        /* RLIMIT_NPROC; 0: not to be set */
	struct cx_affinity may_use; /* the caller's CPUs; init stays on one */
	uid_t outer_uid;           /* who the command is outside */
	gid_t outer_gid;
	char roots[PATH_MAX];      /* the folder that the layers stand in */
	char layer[CX_BOX_LAYERS_MAX][CX_SURVEY_NAME]; /* their names there */
	const char *lower[CX_BOX_LAYERS_MAX + 1]; /* for the overlay */
	char workspace[PATH_MAX];  /* rootless: paths to bind from */
	char skills[PATH_MAX];

	/* Written inside. */
	struct cx_porter porter;   /* rootless */
	int proc_fd;               /* a writable /proc, outside of the root */
	int landlock;              /* ABI in force */
	pid_t command_pid;
	int64_t executed_us;       /* CLOCK_MONOTONIC at the exec */
	enum cx_step fault;
	int fault_errno;
	/* The command's until its exec; of its pages few are touched. */
	char stack[32768] __attribute__((aligned(16)));
};

/* The process after cx_clone_fork: carries out the plan, doesn't return. */
void cx_enter_run(struct cx_enter *enter) __attribute__((noreturn));

/* Does the plan's items of one place in order; false at the first that fails,
 * with fault set. */
bool cx_enter_steps(struct cx_enter *enter, enum cx_step_place place);

#endif
