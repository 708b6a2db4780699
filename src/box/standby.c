/* standby.c - see standby.h. */
#include "box/standby.h"

#include <poll.h>

#include "base/str.h"
#include "box/guard.h"
#include "box/late.h"
#include "box/outside.h"
#include "sys/heap.h"

/* All that init points to is in here or in outside, neither in the heap. */
struct cx_standby {
	struct cx_heap heap;
	struct cx_profile profile;  /* without environment and folder */
	struct cx_box box;
	struct cx_outside *outside; /* it stands; NULL */
	struct cx_late late;
};

static struct cx_standby *begin(void)
{
	struct cx_standby *standby = cx_heap_apart(sizeof *standby);

	if (standby)
		cx_heap_find(&standby->heap);
	return standby;
}

void cx_standby_note(const struct cx_outside *outside)
{
	const struct cx_box *box = outside->box;
	struct cx_standby *standby;

	if (!cx_guard_is_standing(box->guard) || !outside->world.privileged ||
	    box->skills_fd >= 0 || box->portal.hand_over)
		return;
	standby = box->guard->berth.standby;
	if (cx_standby_is_there(standby)) /* that is like the one before */
		return;
	if (!standby)
		standby = begin();
	if (!standby)
		return;
	box->guard->berth.standby = standby;
	standby->profile = *box->profile;
	standby->profile.cwd = NULL;
	standby->profile.env[0] = NULL;
	standby->profile.env_count = 0;
	standby->box = *box;
	standby->box.profile = &standby->profile;
	standby->box.id = box->guard->id;
	standby->box.workspace_fd = -1;
	standby->box.workspace_name = "of-the-command";
	standby->box.command = NULL;
	standby->box.argv = NULL;
	standby->box.stdin_fd = -1;
	standby->box.cancel_fd = -1;
	standby->box.late = &standby->late;
	standby->box.leave = false;
	/* what isn't NULL is called outside alone */
	standby->box.hooks.context = NULL;
}

static void drop(struct cx_standby *standby)
{
	cx_outside_done(standby->outside);
	cx_heap_let_go(standby->outside, sizeof *standby->outside);
	standby->outside = NULL;
}

void cx_standby_make(struct cx_standby *standby)
{
	struct cx_err ignored;
	int error;

	if (standby->outside)
		return;
	standby->outside = cx_heap_apart(sizeof *standby->outside);
	if (!standby->outside)
		return;
	cx_heap_withhold(&standby->heap);
	if (cx_outside_plan(&standby->box, standby->outside, &ignored) < 0 ||
	    cx_outside_go(standby->outside, &error) != CX_STEP_NONE)
		drop(standby);
	cx_heap_share(&standby->heap);
}

bool cx_standby_is_there(const struct cx_standby *standby)
{
	return standby && standby->outside;
}

/* What comes in last is the next command's own. */
static bool is_late(const struct cx_plan_item *item)
{
	return item->step == CX_STEP_AWAIT || item->step == CX_STEP_WORKSPACE;
}

static bool is_item(const struct cx_plan_item *a, const struct cx_plan_item *b)
{
	return a->step == b->step && a->source == b->source &&
	       a->writable == b->writable && a->bytes == b->bytes &&
	       a->inodes == b->inodes && cx_str_same(a->name, b->name) &&
	       (a->target == b->target ||
	        (a->target && b->target &&
	         cx_str_same(a->target, b->target)));
}

static size_t next(const struct cx_plan *plan, size_t at)
{
	while (at < plan->count && is_late(&plan->item[at]))
		at++;
	return at;
}

static bool is_plan(const struct cx_plan *a, const struct cx_plan *b)
{
	size_t i = next(a, 0), j = next(b, 0);

	while (i < a->count && j < b->count) {
		if (!is_item(&a->item[i], &b->item[j]))
			return false;
		i = next(a, i + 1);
		j = next(b, j + 1);
	}
	return i == a->count && j == b->count;
}

/* What is watched outside may be another command's. */
static bool is_quota(const struct cx_quota *a, const struct cx_quota *b)
{
	struct cx_quota as = *a;

	as.wall_ms = b->wall_ms;
	as.grace_ms = b->grace_ms;
	as.stdout_bytes = b->stdout_bytes;
	as.stderr_bytes = b->stderr_bytes;
	as.on_output_cap = b->on_output_cap;
	/* what follows the last member has no value */
	return memcmp(&as, b, offsetof(struct cx_quota, best_effort) +
	              sizeof as.best_effort) == 0;
}

static bool is_profile(const struct cx_profile *a, const struct cx_profile *b)
{
	return is_quota(&a->quota, &b->quota) && a->egress == b->egress &&
	       a->uid == b->uid && a->gid == b->gid &&
	       a->tmp_inodes == b->tmp_inodes &&
	       a->shm_bytes == b->shm_bytes &&
	       a->nofile_soft == b->nofile_soft &&
	       a->nofile_hard == b->nofile_hard &&
	       a->core_bytes == b->core_bytes && a->umask == b->umask &&
	       a->proc_pid == b->proc_pid;
}

static bool is_box(const struct cx_box *a, const struct cx_box *b)
{
	for (size_t i = 0; i < b->layer_count; i++)
		if (a->layer[i].fd != b->layer[i].fd)
			return false;
	return a->layer_count == b->layer_count &&
	       is_profile(a->profile, b->profile) && !a->runtime &&
	       !b->runtime && b->skills_fd < 0 &&
	       !a->hooks.started == !b->hooks.started;
}

static bool fits(const struct cx_outside *made,
                 const struct cx_outside *wanted)
{
	const struct cx_enter *a = &made->enter, *b = &wanted->enter;

	return is_plan(&made->plan, &wanted->plan) &&
	       is_box(made->box, wanted->box) &&
	       a->outer_uid == b->outer_uid && a->outer_gid == b->outer_gid &&
	       a->processes == b->processes && b->workspace_tree_fd >= 0;
}

/* It waits, and has met no fault so far. */
static bool is_silent(const struct cx_outside *made)
{
	struct pollfd control = { made->control_fd, POLLIN, 0 };

	return poll(&control, 1, 0) == 0;
}

static void adopt(struct cx_outside *made, struct cx_outside *ret)
{
	ret->init_pid = made->init_pid;
	made->init_pid = 0;
	ret->control_fd = made->control_fd;
	made->control_fd = -1;
	for (int i = 0; i < 2; i++) {
		ret->stream_fd[i] = made->stream_fd[i];
		made->stream_fd[i] = -1;
	}
	ret->group = made->group;
	ret->group.subtree = &ret->of_group;
	ret->grouped = made->grouped;
	made->grouped = false;
	ret->holds = made->holds;
}

bool cx_standby_take(struct cx_outside *outside)
{
	struct cx_standby *standby = outside->box->guard->berth.standby;
	struct cx_outside *made;

	if (outside->box->late || !cx_standby_is_there(standby))
		return false;
	made = standby->outside;
	if (!fits(made, outside) || !is_silent(made) ||
	    cx_late_send(made->control_fd, outside->box,
	                 outside->enter.workspace_tree_fd) < 0) {
		drop(standby);
		return false;
	}
	adopt(made, outside);
	drop(standby);
	return true;
}

bool cx_standby_has(enum cx_step step)
{
	return step == CX_STEP_PIPES || step == CX_STEP_CGROUP ||
	       step == CX_STEP_CLONE;
}

void cx_standby_done(struct cx_standby *standby)
{
	if (!standby)
		return;
	if (standby->outside)
		drop(standby);
	cx_heap_let_go(standby, sizeof *standby);
}
