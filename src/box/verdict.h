/* verdict.h - what the group's counters say of a command that has ended. */
#ifndef CX_BOX_VERDICT_H
#define CX_BOX_VERDICT_H

#include "box/outside.h"
#include "box/report.h"

/* Before cx_watch_run, when the group is there: opens what is read after. */
void cx_verdict_prepare(struct cx_outside *outside);

/* After cx_watch_run, while the group is still there: counters, whether it was
 * memory that ended the command, and which limits held. */
void cx_verdict_fill(const struct cx_outside *outside, struct cx_report *ret);

#endif
