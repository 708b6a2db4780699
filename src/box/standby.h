/*
 * standby.h - a sandbox that stands before its command is known.
 *
 * A process that runs box after box has one made while it is idle, like the
 * last one: namespaces, root, group, everything up to the step await. The next
 * box takes it if it wants the same, and else has its own made as ever. Each
 * serves one command and ends with it.
 */
#ifndef CX_BOX_STANDBY_H
#define CX_BOX_STANDBY_H

#include <stdbool.h>

#include "box/step.h"

struct cx_outside;
struct cx_standby;

/* The next is to be as outside is, whose guard is a standing one; for others
 * nothing is noted. */
void cx_standby_note(const struct cx_outside *outside);

/* Where it can't be, the next box makes its own, and says why. */
void cx_standby_make(struct cx_standby *standby);

bool cx_standby_is_there(const struct cx_standby *standby);

/* Its init is outside's from here on and knows the command; or, where it
 * isn't what outside wants, it is taken away. */
bool cx_standby_take(struct cx_outside *outside);

/* Was this step done when it was made? */
bool cx_standby_has(enum cx_step step);

void cx_standby_done(struct cx_standby *standby); /* may be NULL */

#endif
