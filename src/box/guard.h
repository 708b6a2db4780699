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
#include "sys/subtree.h"

struct cx_guard {
	struct cx_subtree subtree;
	struct cx_sweeper sweeper;
	bool used;                 /* by a box: its network is taken */
	bool leaves;               /* its end isn't waited for */
};

#define CX_GUARD_NONE { .sweeper = CX_SWEEPER_NONE }

/* Uses id and, of the hooks, context, orphaned and hold_fd of box. *ret stays
 * where it is until cx_guard_done. CX_E_ISOLATION_UNAVAILABLE. */
int cx_guard_start(const struct cx_box *box, struct cx_guard *ret,
                   struct cx_err *err);

/* Everything is taken away: lets the sweeper go. */
void cx_guard_done(struct cx_guard *guard);

#define CX_AUTO_GUARD __attribute__((cleanup(cx_guard_done)))

#endif
