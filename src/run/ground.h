/*
 * ground.h - what the commands of one exec stand on: the workspace, the host
 * uid, the number of the first one. Made after everything was decided.
 */
#ifndef CX_RUN_GROUND_H
#define CX_RUN_GROUND_H

#include "run/broker.h"
#include "run/order.h"
#include "store/extent.h"
#include "store/volume.h"

struct cx_ground {
	struct cx_volume volume;
	uid_t outer_uid;       /* gid as well */
	int outer_lease;       /* -1: the caller's own */
	uid_t void_uid;        /* for an OCI runtime: nobody's, with a lease */
	int void_lease;
	bool own;              /* files of the workspace belong to 10001 */
	uint64_t first;        /* number of the first command in its job */
};

#define CX_GROUND_NONE { .volume = CX_VOLUME_NONE, .outer_lease = -1, \
	.void_lease = -1 }

int cx_ground_make(struct cx_broker *broker, const struct cx_order *order,
                   struct cx_ground *ret, struct cx_err *err);
void cx_ground_done(struct cx_ground *ground);

#define CX_AUTO_GROUND __attribute__((cleanup(cx_ground_done)))

/* The quota of the workspace. */
void cx_ground_limits(const struct cx_profile *profile,
                      struct cx_extent *ret);

/* What the workspace takes now; a measurement that fails is 0. */
void cx_ground_measure(const struct cx_ground *ground, struct cx_extent *ret);

/* Over quota: no more commands for its job or run. */
void cx_ground_end(struct cx_broker *broker, const struct cx_order *order);

#endif
