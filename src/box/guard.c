/* guard.c - see guard.h. */
#include "box/guard.h"

#include <errno.h>

#include "base/fd.h"
#include "base/promise.h"
#include "box/fault.h"
#include "sys/clone.h"
#include "sys/idmap.h"

static int start(const struct cx_box *box, bool privileged, bool standing,
                 const struct cx_subtree *found, struct cx_guard *ret,
                 struct cx_err *err)
{
	*ret = (struct cx_guard)CX_GUARD_NONE;
	if (found)
		ret->subtree = *found;
	else
		cx_subtree_find(&ret->subtree);
	if (cx_sweeper_start(&ret->subtree, box, privileged, standing,
	                     &ret->sweeper) == 0)
		return 0;
	cx_fault_explain(CX_STEP_SWEEPER, errno, err);
	cx_subtree_done(&ret->subtree);
	return -1;
}

int cx_guard_start(const struct cx_box *box, bool privileged,
                   const struct cx_subtree *found, struct cx_guard *ret,
                   struct cx_err *err)
{
	return start(box, privileged, false, found, ret, err);
}

bool cx_guard_is_standing(const struct cx_guard *guard)
{
	return guard && guard->standing;
}

/* The network namespace in which the sweeper stands now. */
static int take_network(struct cx_guard *guard)
{
	struct cx_guard_berth *berth = &guard->berth;

	if (cx_sweeper_hear(&guard->sweeper) < 0)
		return -1;
	if (!guard->sweeper.network)
		return 0;
	if (cx_untouched_start(guard->sweeper.pid, &berth->network) < 0) {
		cx_untouched_done(&berth->network);
		return -1;
	}
	berth->network_fd = cx_clone_namespace(guard->sweeper.pid, "net");
	return berth->network_fd < 0 ? -1 : 0;
}

int cx_guard_stand(const struct cx_box *box, struct cx_guard *ret,
                   struct cx_err *err)
{
	if (start(box, cx_idmap_is_privileged(), true, NULL, ret, err) < 0)
		return -1;
	ret->standing = true;
	snprintf(ret->id, sizeof ret->id, "%s", box->id);
	if (take_network(ret) == 0)
		return 0;
	cx_fault_explain(errno == ENOTUNIQ ? CX_STEP_ALONE
	                                   : CX_STEP_SWEEPER, errno, err);
	cx_guard_done(ret);
	return -1;
}

static void let_network_go(struct cx_guard_berth *berth)
{
	if (berth->network_fd < 0)
		return;
	cx_fd_close_at(&berth->network_fd);
	cx_untouched_done(&berth->network);
}

static int renew_network(struct cx_guard *guard)
{
	struct cx_guard_berth *berth = &guard->berth;

	if (!guard->sweeper.network ||
	    (berth->network_fd >= 0 && !berth->opened &&
	     CX_PROMISE(network_as_new, cx_untouched_is(&berth->network))))
		return 0;
	let_network_go(berth);
	berth->opened = false;
	cx_sweeper_renew(&guard->sweeper);
	return take_network(guard);
}

/* Where it can't be, the box that makes its own says why. */
static void make_group(struct cx_guard *guard)
{
	struct cx_guard_berth *berth = &guard->berth;
	struct cx_err ignored;

	if (!berth->has_group && berth->limits.pids)
		berth->has_group = cx_cgroup_make(&berth->of_group, guard->id,
		                                  &berth->limits,
		                                  &berth->group,
		                                  &ignored) == 0;
}

int cx_guard_refill(struct cx_guard *guard)
{
	if (!guard->berth.used || cx_standby_is_there(guard->berth.standby))
		return 0;
	if (renew_network(guard) < 0)
		return -1;
	make_group(guard);
	guard->berth.used = false;
	return 0;
}

void cx_guard_prepare(struct cx_guard *guard)
{
	if (guard->berth.standby && !guard->berth.used)
		cx_standby_make(guard->berth.standby);
}

void cx_guard_done(struct cx_guard *guard)
{
	if (guard->sweeper.pid == 0)
		return;
	cx_standby_done(guard->berth.standby);
	guard->berth.standby = NULL;
	let_network_go(&guard->berth);
	cx_fd_close_at(&guard->berth.userns_fd);
	if (guard->berth.has_group)
		cx_cgroup_remove(&guard->berth.group, 0);
	cx_sweeper_dismiss(&guard->sweeper, guard->leaves);
	cx_subtree_done(&guard->subtree);
}
