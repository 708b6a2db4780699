/*
 * stand.h - what a worker has for all its commands: a sweeper, a host uid, and
 * what box/guard.h keeps ready.
 *
 * The sweeper was made before the first command, so what it is to do when the
 * worker dies stands in memory that both share: whose workspace goes with the
 * command at hand.
 */
#ifndef CX_RUN_STAND_H
#define CX_RUN_STAND_H

#include "box/guard.h"
#include "plane/registry.h"
#include "run/begun.h"
#include "run/broker.h"
#include "store/volume.h"

/* In shared memory. */
struct cx_stand_mark {
	volatile bool passes;  /* the workspace of these goes */
	char org_id[CX_SESSION_ID_MAX_BYTES + 1];
	char job_id[CX_REGISTRY_ID_MAX];
};

struct cx_stand {
	struct cx_guard guard;
	uid_t outer_uid;       /* gid as well */
	int outer_lease;       /* -1: the caller's own */
	const struct cx_state *state;
	struct cx_stand_mark *mark;
	struct cx_begun begun; /* its file */
};

/* broker->stand is ret from here on, and ret stays where it is. */
int cx_stand_make(struct cx_broker *broker, struct cx_stand *ret,
                  struct cx_err *err);

/* From here on owner's workspace, which passes, is the sweeper's care; until
 * it is gone (NULL). */
void cx_stand_watch(struct cx_stand *stand,
                    const struct cx_volume_owner *owner);

/* Makes ready for the next command, which else does it itself. */
void cx_stand_refill(struct cx_stand *stand);

void cx_stand_done(struct cx_stand *stand);

#endif
