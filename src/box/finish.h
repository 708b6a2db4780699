/*
 * finish.h - a container that a runtime made, looked at before anything runs
 * in it, and completed.
 *
 * What a runtime was told is not what it did: each mount must be there and
 * gets the attributes that it should have, the network must hold nothing but
 * loopback, and no user namespace may be made below its own, which no runtime
 * offers to forbid.
 */
#ifndef CX_BOX_FINISH_H
#define CX_BOX_FINISH_H

#include <sys/types.h>

#include "box/enter.h"
#include "box/plan.h"
#include "model/profile.h"

/* init_pid waits in the container; enter has the portal's socket pair, or -1.
 * 0, or -1 with the step that isn't as it should be, and errno. */
int cx_finish_make(pid_t init_pid, const struct cx_plan *plan,
                   const struct cx_enter *enter, enum cx_step *ret_step,
                   int *ret_errno);

#endif
