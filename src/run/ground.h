/*
 * ground.h - what the commands of one exec stand on: the number of the first,
 * the host uid, the sweeper, the workspace. Made after everything was decided,
 * in this order, so that a launcher that is killed leaves no workspace that
 * was to pass.
 */
#ifndef CX_RUN_GROUND_H
#define CX_RUN_GROUND_H

#include "box/guard.h"
#include "box/report.h"
#include "run/broker.h"
#include "run/order.h"
#include "store/extent.h"
#include "store/rehearsal.h"
#include "store/volume.h"

enum { CX_GROUND_ID_MAX = 64 };

struct cx_ground {
	struct cx_broker *broker;
	struct cx_volume_owner owner; /* of the workspace */
	bool own_job;          /* nobody will name its job again */
	bool passes;           /* the workspace goes with this exec */
	bool is_dry;           /* a dry run in a workspace that stays */
	uint64_t egress_bytes;     /* of the commands so far */
	int toll_fd;          /* of the job that they belong to; -1 */
	bool is_made;
	uint64_t first;        /* number of the first command in its job */
	char first_id[CX_GROUND_ID_MAX];
	uid_t outer_uid;       /* gid as well */
	int outer_lease;       /* -1: the caller's own */
	uid_t void_uid;        /* for an OCI runtime: nobody's, with a lease */
	int void_lease;
	bool wall_held;        /* the workspace's wall is as asked for */
	bool own;              /* files of the workspace belong to 10001 */
	struct cx_guard guard;    /* our own, or unused: */
	struct cx_stand *stand;   /* the worker's; NULL */
	struct cx_report report;  /* of the last command: what is yet to be
	                             taken away of it */
	struct cx_volume volume;  /* data_fd: where the commands work */
	struct cx_rehearsal rehearsal; /* of a dry run */
	int base_fd;           /* of a dry run: the workspace itself; -1 */
};

#define CX_GROUND_NONE { .volume = CX_VOLUME_NONE, .outer_lease = -1, \
	.void_lease = -1, .toll_fd = -1, \
	.guard = CX_GUARD_NONE, .base_fd = -1, \
	.rehearsal = CX_REHEARSAL_NONE }

/*
 * Waits for a turn in the workspace, where there is one already, before the
 * carrier is spent and anything made: CX_E_STORE_BUSY. cancel_fd readable ends
 * the waiting.
 */
int cx_ground_await(struct cx_broker *broker, const struct cx_order *order,
                    int cancel_fd, struct cx_ground *ret, struct cx_err *err);

/* *ret stays where it is until cx_ground_done. cancel_fd readable ends the
 * copying for a dry run. */
int cx_ground_make(struct cx_broker *broker, const struct cx_order *order,
                   int cancel_fd, struct cx_ground *ret, struct cx_err *err);
void cx_ground_done(struct cx_ground *ground);

/* The guard that its commands run under. */
struct cx_guard *cx_ground_guard(struct cx_ground *ground);

#define CX_AUTO_GROUND __attribute__((cleanup(cx_ground_done)))

/* The quota of the workspace. */
void cx_ground_limits(const struct cx_profile *profile,
                      struct cx_extent *ret);

/* What the workspace takes now; a measurement that fails is 0. */
void cx_ground_measure(const struct cx_ground *ground, struct cx_extent *ret);

/* The changes of a dry run wait in the workspace from now on; false: there is
 * none that stays. */
int cx_ground_keep(struct cx_ground *ground, bool *ret_kept,
                   struct cx_err *err);

/* Over quota: no more commands for its job or run. After a dry run it isn't
 * the workspace that is. */
void cx_ground_end(struct cx_broker *broker, const struct cx_order *order);

#endif
