/* stand.c - see stand.h. */
#include "run/stand.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "box/box.h"
#include "run/outer.h"

/* In the sweeper, when the worker is dead. */
static void orphaned(void *context)
{
	const struct cx_stand *stand = context;
	const struct cx_volume_owner owner = {
		.org_id = stand->mark->org_id,
		.job_id = stand->mark->job_id,
	};

	if (stand->mark->passes)
		cx_volume_reclaim(stand->state, &owner);
}

static int start_guard(struct cx_broker *broker, struct cx_stand *ret,
                       struct cx_err *err)
{
	char id[CX_REGISTRY_ID_MAX];
	struct cx_box box;

	if (cx_registry_make_id(id, err) < 0)
		return -1;
	cx_box_start(&box);
	box.id = id;
	box.hooks.context = ret;
	box.hooks.orphaned = orphaned;
	box.hooks.hold_fd[0] = broker->state.fd;
	box.hooks.hold_fd[1] = ret->outer_lease;
	return cx_guard_stand(&box, &ret->guard, err);
}

int cx_stand_make(struct cx_broker *broker, struct cx_stand *ret,
                  struct cx_err *err)
{
	*ret = (struct cx_stand){
		.guard = CX_GUARD_NONE, .outer_lease = -1,
		.state = &broker->state,
		.begun = CX_BEGUN_NONE,
	};
	ret->begun.stays = true;
	ret->mark = mmap(NULL, sizeof *ret->mark, PROT_READ | PROT_WRITE,
	                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ret->mark == MAP_FAILED) {
		ret->mark = NULL;
		return cx_err_sys(err, CX_E_WORKER_ERROR, "share memory");
	}
	if ((cx_box_is_privileged() &&
	     cx_outer_take(&broker->state, &broker->config, &ret->outer_uid,
	                   &ret->outer_lease, err) < 0) ||
	    start_guard(broker, ret, err) < 0) {
		cx_stand_done(ret);
		return -1;
	}
	broker->stand = ret;
	return 0;
}

void cx_stand_watch(struct cx_stand *stand,
                    const struct cx_volume_owner *owner)
{
	struct cx_stand_mark *mark = stand->mark;

	mark->passes = false;
	if (!owner)
		return;
	snprintf(mark->org_id, sizeof mark->org_id, "%s", owner->org_id);
	snprintf(mark->job_id, sizeof mark->job_id, "%s", owner->job_id);
	mark->passes = true;
}

void cx_stand_refill(struct cx_stand *stand)
{
	/* what fails now fails again with the next box, which tells it */
	if (cx_guard_refill(&stand->guard) == 0)
		cx_guard_prepare(&stand->guard);
	errno = 0;
}

void cx_stand_done(struct cx_stand *stand)
{
	cx_guard_done(&stand->guard);
	cx_begun_done(&stand->begun);
	cx_fd_close_at(&stand->outer_lease);
	if (stand->mark)
		munmap(stand->mark, sizeof *stand->mark);
	stand->mark = NULL;
}
