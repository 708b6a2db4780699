/*
 * passage.h - the way to the gateway: init opens the portal in the sandbox's
 * network (sys/portal.h), the launcher has it taken over, and init goes on.
 *
 * The two speak over a socket pair of their own. Nothing of the portal stays
 * inside: init closes what it opened once the launcher says that it was taken.
 */
#ifndef CX_BOX_PASSAGE_H
#define CX_BOX_PASSAGE_H

#include "box/outside.h"

/* Outside, before init is made: the pair, where the box wants a portal. 0 or
 * -1, errno. */
int cx_passage_make(struct cx_outside *outside);

/* In the sandbox's network, with capabilities over it: opens and sends. 0 or
 * -1, errno. */
int cx_passage_offer(const struct cx_enter *enter);

/* Init's step: that, and waits for the word. */
int cx_passage_open(struct cx_enter *enter, const struct cx_plan_item *item);

/* Outside, once init runs: has the portal taken over. CX_STEP_NONE: it was,
 * or init failed by itself, or the run is cancelled, which the watch finds
 * out. CX_STEP_PORTAL: *err says who didn't take it, and init waits still. */
enum cx_step cx_passage_hand_over(struct cx_outside *outside,
                                  struct cx_err *err);

#endif
