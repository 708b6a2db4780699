/* ground.c - see ground.h. */
#include "run/ground.h"

#include "base/fd.h"
#include "base/promise.h"
#include "box/box.h"
#include "plane/registry.h"
#include "run/outer.h"
#include "run/stand.h"
#include "store/label.h"
#include "store/wall.h"

/* A job of its own: nobody will ask for its workspace again. */
static bool is_own_job(const struct cx_order *order)
{
	return !*cx_trust_session(&order->trust)->run_id &&
	       order->job_id == order->own_id;
}

static void name_owner(const struct cx_order *order, struct cx_ground *ret)
{
	const struct cx_session *session = cx_trust_session(&order->trust);

	ret->owner = (struct cx_volume_owner){
		.org_id = session->org_id,
		.user_id = session->user_id,
		.name = order->flags->workspace,
	};
	if (!ret->owner.name && *session->run_id)
		ret->owner.run_id = session->run_id;
	else if (!ret->owner.name)
		ret->owner.job_id = order->job_id;
	ret->own_job = is_own_job(order);
	ret->passes = ret->own_job && !ret->owner.name;
}

/* The commands of a job or a run share its workspace, and always did. */
static struct cx_turn turn_of(const struct cx_order *order, int cancel_fd)
{
	const struct cx_order_flags *flags = order->flags;

	return (struct cx_turn){
		.mode = flags->workspace || flags->dry_run ? CX_TURN_ALONE
		                                           : CX_TURN_SHARED,
		.wait_ms = flags->wait_ms,
		.cancel_fd = cancel_fd,
		.waits = flags->waits,
		.context = flags->waits_context,
	};
}

int cx_ground_await(struct cx_broker *broker, const struct cx_order *order,
                    int cancel_fd, struct cx_ground *ret, struct cx_err *err)
{
	const struct cx_turn turn = turn_of(order, cancel_fd);

	name_owner(order, ret);
	if (ret->passes || cx_volume_find(&broker->state, &ret->owner, &turn,
	                                  &ret->volume, err) == 0)
		return 0;
	return err->status == 66 ? 0 : -1; /* not there: made later */
}

/* The workspace, unless it was found while its turn was awaited. */
static int open_volume(struct cx_broker *broker, const struct cx_order *order,
                       struct cx_ground *ret, struct cx_err *err)
{
	const struct cx_turn turn = turn_of(order, -1);

	if (ret->passes)
		return cx_volume_pass(&broker->state, &ret->owner,
		                      &ret->volume, err);
	if (ret->volume.data_fd < 0)
		return cx_volume_open(&broker->state, &ret->owner, &turn,
		                      &ret->volume, err);
	cx_label_touch(ret->volume.lease_fd);
	return 0;
}

/* One that a person named isn't ended with a job, so it is looked at before. */
static int check_room(const struct cx_order *order,
                      const struct cx_ground *ground, struct cx_err *err)
{
	struct cx_extent max, extent;

	if (!ground->owner.name)
		return 0;
	cx_ground_limits(&order->profile, &max);
	cx_ground_measure(ground, &extent);
	if (!cx_extent_is_over(&extent, &max))
		return 0;
	return cx_err_set(err, CX_E_JOB_ENDED, "workspace %s holds %llu KiB in "
	                  "%llu files and folders, over its quota; export it "
	                  "and remove it, or raise limits.workspace_kib and "
	                  "limits.inodes", ground->owner.name,
	                  (unsigned long long)extent.kib,
	                  (unsigned long long)extent.inodes);
}

static int number(struct cx_broker *broker, const struct cx_order *order,
                  struct cx_ground *ret, struct cx_err *err)
{
	ret->first = 1;
	if (order->job_id != order->own_id &&
	    cx_registry_number_job(&broker->db, order->job_id,
	                           cx_order_count(order), &ret->first,
	                           err) < 0)
		return -1;
	snprintf(ret->first_id, sizeof ret->first_id, "%s-%llu",
	         order->job_id, (unsigned long long)ret->first);
	return 0;
}

/* In the sweeper, when the launcher is dead. What marks a command as begun
 * stays, for the row that a later start writes. */
static void orphaned(void *context)
{
	const struct cx_ground *ground = context;

	if (ground->passes)
		cx_volume_reclaim(&ground->broker->state, &ground->owner);
	else if (ground->is_dry)
		cx_rehearsal_reclaim(&ground->broker->state, &ground->owner);
}

static int start_guard(struct cx_broker *broker, struct cx_ground *ret,
                       struct cx_err *err)
{
	struct cx_box box;
	bool found;

	ret->stand = broker->stand;
	if (ret->stand) {
		cx_stand_watch(ret->stand, ret->passes ? &ret->owner : NULL);
		return 0;
	}
	cx_box_start(&box);
	box.id = ret->first_id;
	box.hooks.context = ret;
	box.hooks.orphaned = orphaned;
	box.hooks.hold_fd[0] = broker->state.fd;
	box.hooks.hold_fd[1] = ret->outer_lease;
	box.hooks.hold_fd[2] = ret->void_lease;
	found = broker->has_subtree;
	broker->has_subtree = false;
	return cx_guard_start(&box, ret->own, found ? &broker->subtree : NULL,
	                      &ret->guard, err);
}

static int take_uids(struct cx_broker *broker, const struct cx_order *order,
                     struct cx_ground *ret, struct cx_err *err)
{
	if (!ret->own)
		return 0;
	if (broker->stand)
		ret->outer_uid = broker->stand->outer_uid;
	else if (cx_outer_take(&broker->state, &broker->config, &ret->outer_uid,
	                  &ret->outer_lease, err) < 0)
		return -1;
	if (!cx_order_runtime(broker, order->flags))
		return 0;
	return cx_outer_take(&broker->state, &broker->config, &ret->void_uid,
	                     &ret->void_lease, err);
}

/* From here on the workspace is only read: what is changed is its copy, which
 * has a wall of its own before anything is in it. */
static int rehearse(const struct cx_order *order, int cancel_fd,
                    struct cx_ground *ret, struct cx_err *err)
{
	struct cx_rehearsal *rehearsal = &ret->rehearsal;

	if (!ret->is_dry || CX_PROMISE(dry_run_apart, false))
		return 0;
	if (cx_rehearsal_make(cx_volume_place(&ret->volume), rehearsal,
	                      err) < 0)
		return -1;
	ret->base_fd = cx_fd_take(&ret->volume.data_fd);
	ret->volume.data_fd = cx_fd_take(&rehearsal->data_fd);
	if (cx_wall_raise(&ret->broker->state, &order->profile.quota,
	                  &ret->volume, &ret->wall_held, err) < 0)
		return -1;
	return cx_rehearsal_fill(rehearsal, ret->base_fd,
	                         ret->volume.data_fd, ret->own, cancel_fd,
	                         err);
}

int cx_ground_make(struct cx_broker *broker, const struct cx_order *order,
                   int cancel_fd, struct cx_ground *ret, struct cx_err *err)
{
	ret->broker = broker;
	ret->own = cx_box_is_privileged();
	/* what goes with the command needs no copy */
	ret->is_dry = order->flags->dry_run && !ret->passes;
	if (number(broker, order, ret, err) < 0 ||
	    take_uids(broker, order, ret, err) < 0 ||
	    start_guard(broker, ret, err) < 0 ||
	    open_volume(broker, order, ret, err) < 0 ||
	    cx_wall_raise(&broker->state, &order->profile.quota, &ret->volume,
	                  &ret->wall_held, err) < 0 ||
	    check_room(order, ret, err) < 0 ||
	    rehearse(order, cancel_fd, ret, err) < 0)
		return -1;
	ret->is_made = true;
	return 0;
}

struct cx_guard *cx_ground_guard(struct cx_ground *ground)
{
	return ground->stand ? &ground->stand->guard : &ground->guard;
}

void cx_ground_done(struct cx_ground *ground)
{
	cx_report_done(&ground->report);
	cx_rehearsal_done(&ground->rehearsal);
	cx_fd_close_at(&ground->base_fd);
	cx_fd_close_at(&ground->toll_fd);
	cx_volume_done(&ground->volume);
	if (ground->stand)
		cx_stand_watch(ground->stand, NULL);
	cx_guard_done(&ground->guard);
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

int cx_ground_keep(struct cx_ground *ground, bool *ret_kept,
                   struct cx_err *err)
{
	*ret_kept = ground->rehearsal.is_open;
	return *ret_kept ? cx_rehearsal_keep(&ground->rehearsal, err) : 0;
}

void cx_ground_end(struct cx_broker *broker, const struct cx_order *order)
{
	const struct cx_session *session = cx_trust_session(&order->trust);
	struct cx_err ignored;

	if (order->flags->dry_run)
		return;
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
