/*
 * command.h - the steps of the command's process, up to its exec.
 *
 * It shares init's memory, and init sleeps; descriptors, signals and
 * credentials are its own. Each step returns 0 or -1 and errno.
 */
#ifndef CX_BOX_COMMAND_H
#define CX_BOX_COMMAND_H

#include "box/enter.h"

int cx_command_session(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_command_rlimits(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_command_streams(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_command_cwd(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_command_landlock(struct cx_enter *enter,
                        const struct cx_plan_item *item);
int cx_command_seccomp(struct cx_enter *enter, const struct cx_plan_item *item);

/* Returns only when it failed. A program of argv that isn't there, or isn't
 * one, ends the process with 127 or 126 and a line on standard error. */
int cx_command_exec(struct cx_enter *enter, const struct cx_plan_item *item);

#endif
