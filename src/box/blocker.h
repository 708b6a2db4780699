/*
 * blocker.h - what really refused a trial, and the least that helps.
 *
 * Found by looking at what the machine says (sysctls, mounts, the caller's
 * status) and by asking again in a way that only a filter would refuse; where
 * that tells nothing, the kernel's own word stands.
 */
#ifndef CX_BOX_BLOCKER_H
#define CX_BOX_BLOCKER_H

#include "box/trial.h"

struct cx_blocker {
	char what[256];    /* "the sysctl user.max_mnt_namespaces is 0" */
	char remedy[256];  /* what to do, as whom */
};

/* Of a trial whose outcome isn't good. */
void cx_blocker_find(const struct cx_trial *trial,
                     const struct cx_trial_world *world,
                     const struct cx_trial_outcome *outcome,
                     struct cx_blocker *ret);

#endif
