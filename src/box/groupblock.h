/* groupblock.h - why no control group holds a limit. */
#ifndef CX_BOX_GROUPBLOCK_H
#define CX_BOX_GROUPBLOCK_H

#include "box/blocker.h"

void cx_groupblock_find(enum cx_limit limit,
                        const struct cx_trial_outcome *outcome,
                        struct cx_blocker *ret);

#endif
