/*
 * init.h - PID 1 while the command runs: reap, watch the lifeline, report.
 */
#ifndef CX_BOX_INIT_H
#define CX_BOX_INIT_H

#include "box/enter.h"

/* Says that a step failed, and ends. */
void cx_init_fail(const struct cx_enter *enter) __attribute__((noreturn));

/* The command was executed (or has ended of itself): watches to the end. */
void cx_init_watch(struct cx_enter *enter) __attribute__((noreturn));

#endif
