/*
 * lookout.h - the workspace's quota while a command runs.
 *
 * A walk is dear and the file system's own count is cheap: the count is asked
 * often, as often as the room that is left could be filled, and the tree is
 * walked when what was written meanwhile could have filled it. Files that were
 * deleted and are still open are counted too, by the descriptors of the
 * sandbox's processes.
 */
#ifndef CX_RUN_LOOKOUT_H
#define CX_RUN_LOOKOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/extent.h"

struct cx_lookout {
	int data_fd;            /* borrowed */
	struct cx_extent max;
	struct cx_extent last;  /* as walked */
	struct cx_extent used;  /* of the file system, at that moment */
	int64_t walk_us;        /* walk again then, whatever the count says */
	int64_t cost_us;        /* of the last walk */
};

void cx_lookout_start(int data_fd, const struct cx_extent *max,
                      struct cx_lookout *ret);

/* Microseconds until the next look; -1: over the quota. */
int64_t cx_lookout_look(struct cx_lookout *lookout, pid_t init);

#endif
