/* ground.c - see ground.h. */
#include "run/ground.h"

#include "base/fd.h"
#include "box/box.h"
#include "plane/registry.h"
#include "run/outer.h"

static int open_volume(struct cx_broker *broker, const struct cx_order *order,
                       struct cx_ground *ret, struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(&order->trust);
	const struct cx_volume_owner owner = {
		.org_id = session->org_id,
		.user_id = session->user_id,
		.run_id = *session->run_id ? session->run_id : NULL,
		.job_id = *session->run_id ? NULL : order->job_id,
	};

	/* a job of its own: nobody will ask for its workspace again */
	if (!owner.run_id && order->job_id == order->own_id)
		return cx_volume_pass(&broker->state, &owner, &ret->volume,
		                      err);
	return cx_volume_open(&broker->state, &owner, &ret->volume, err);
}

int cx_ground_make(struct cx_broker *broker, const struct cx_order *order,
                   struct cx_ground *ret, struct cx_err *err)
{
	ret->first = 1;
	if (order->job_id != order->own_id &&
	    cx_registry_number_job(&broker->db, order->job_id,
	                           cx_order_count(order), &ret->first,
	                           err) < 0)
		return -1;
	if (open_volume(broker, order, ret, err) < 0)
		return -1;
	ret->own = cx_box_is_privileged();
	if (!ret->own)
		return 0;
	if (cx_outer_take(&broker->state, &broker->config, &ret->outer_uid,
	                  &ret->outer_lease, err) < 0)
		return -1;
	if (!cx_order_runtime(broker, order->flags))
		return 0;
	return cx_outer_take(&broker->state, &broker->config, &ret->void_uid,
	                     &ret->void_lease, err);
}

void cx_ground_done(struct cx_ground *ground)
{
	cx_volume_done(&ground->volume);
	cx_fd_close_at(&ground->outer_lease);
	cx_fd_close_at(&ground->void_lease);
}

void cx_ground_limits(const struct cx_profile *profile,
                      struct cx_extent *ret)
{
	ret->kib = profile->quota.workspace_kib;
	ret->inodes = profile->quota.inodes;
}

void cx_ground_measure(const struct cx_ground *ground, struct cx_extent *ret)
{
	const struct cx_extent none = { 0, 0 };

	if (cx_extent_measure(ground->volume.data_fd, &none, ret) < 0)
		*ret = none;
}

void cx_ground_end(struct cx_broker *broker, const struct cx_order *order)
{
	const struct cx_session *session = cx_trust_session(&order->trust);
	struct cx_err ignored;

	/* what can't be written now, the next measurement meets again */
	if (*session->run_id)
		cx_registry_end_run(&broker->db, session,
		                    CX_REGISTRY_OVER_QUOTA, order->trust.now,
		                    &ignored);
	else if (order->job_id != order->own_id)
		cx_registry_end_job(&broker->db, session, order->job_id,
		                    CX_REGISTRY_OVER_QUOTA, order->trust.now,
		                    &ignored);
}
