/*
 * watch.h - the launcher while init runs: deadlines, output, the end.
 */
#ifndef CX_BOX_WATCH_H
#define CX_BOX_WATCH_H

#include "box/outside.h"
#include "box/report.h"

/*
 * Watches until every byte of output is read and no process but init is left.
 * Fills *ret but for what the group's counters tell; ret->fault when a step
 * inside failed.
 */
void cx_watch_run(struct cx_outside *outside, struct cx_report *ret);

#endif
