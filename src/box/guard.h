/*
 * guard.h - a sweeper that is there before its caller makes anything.
 *
 * What the caller makes for a run (a workspace that goes with it) and takes
 * away afterwards lies within the sweeper's life then, so that a launcher
 * which is killed at any instant leaves none of it. The first box that is run
 * under the guard uses its sweeper, and the network namespace that it made
 * meanwhile.
 */
#ifndef CX_BOX_GUARD_H
#define CX_BOX_GUARD_H

#include "box/box.h"
#include "box/sweeper.h"
#include "box/standby.h"
#include "sys/cgroup.h"
#include "sys/subtree.h"
#include "sys/untouched.h"

/*
 * What a standing guard has ready for its next box. The network namespace and
 * the user namespace are the last box's: nobody else ever stood in them, and a
 * network namespace that isn't as it was made is let go.
 */
struct cx_guard_berth {
	int network_fd;            /* -1: none yet, or rootless */
	struct cx_untouched network; /* of that */
	bool opened;               /* a portal was opened in it */
	int userns_fd;             /* -1: none yet, or rootless */
	uid_t outer_uid;           /* whom it maps to */
	gid_t outer_gid;
	struct cx_subtree of_group;
	struct cx_cgroup group;    /* made ahead, by these limits */
	struct cx_cgroup_limits limits;
	bool has_group;
	bool used;                 /* by a box, and not looked at since */
	struct cx_standby *standby; /* made of all that; owned, or NULL */
};

struct cx_guard {
	struct cx_subtree subtree;
	struct cx_sweeper sweeper;
	bool used;                 /* by a box: its network is taken */
	bool leaves;               /* its end isn't waited for */
	bool standing;             /* for one box after the other */
	char id[64];               /* of its groups, if it is standing */
	struct cx_guard_berth berth;
};

#define CX_GUARD_NONE { .sweeper = CX_SWEEPER_NONE, \
	.berth = { .network_fd = -1, .userns_fd = -1 } }

/* Uses id and, of the hooks, context, orphaned and hold_fd of box. privileged
 * is what cx_box_is_privileged told. found is
 * what cx_subtree_find gave the caller before, and the guard's from here on,
 * whatever comes of it; NULL: it looks itself. *ret stays where it is until
 * cx_guard_done. CX_E_ISOLATION_UNAVAILABLE. */
int cx_guard_start(const struct cx_box *box, bool privileged,
                   const struct cx_subtree *found, struct cx_guard *ret,
                   struct cx_err *err);

/* Is there one, and does it serve box after box? */
bool cx_guard_is_standing(const struct cx_guard *guard);

/* The same for a process that runs box after box, one at a time, and waits for
 * the end of each: box.id is that of all their groups. */
int cx_guard_stand(const struct cx_box *box, struct cx_guard *ret,
                   struct cx_err *err);

/*
 * Makes ready what the next box of a standing guard takes: no process of the
 * last one is left. By the next box at the latest; earlier, its start needn't
 * wait for it. 0 or -1, errno.
 */
int cx_guard_refill(struct cx_guard *guard);

/*
 * And makes of that the next sandbox, up to where its command and workspace
 * come in, if it is to be like the last. It serves one command, or none.
 */
void cx_guard_prepare(struct cx_guard *guard);

/* Everything is taken away: lets the sweeper go. */
void cx_guard_done(struct cx_guard *guard);

#define CX_AUTO_GUARD __attribute__((cleanup(cx_guard_done)))

#endif
