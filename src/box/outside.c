/* outside.c - see outside.h. */
#include "box/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/promise.h"
#include "box/berth.h"
#include "box/group.h"
#include "box/guard.h"
#include "box/holding.h"
#include "box/passage.h"
#include "box/standby.h"
#include "box/survey.h"
#include "sys/affinity.h"
#include "sys/clone.h"
#include "sys/idmap.h"
#include "sys/mount.h"

enum {
	REMOVE_WAIT_MS = 2000,
	SPARE_PROCESSES = 32,
};

static void start_enter(const struct cx_outside *outside,
                        struct cx_enter *enter)
{
	const struct cx_box *box = outside->box;
	/* where a group counts them, its limit is to be met first: it tells */
	uint64_t spare = outside->subtree.holds & CX_LIMIT_PIDS ?
	                 SPARE_PROCESSES : 0;

	enter->box = box;
	enter->plan = &outside->plan;
	enter->subtree = &outside->of_group;
	enter->control_fd = -1;
	enter->stream_fd[0] = -1;
	enter->stream_fd[1] = -1;
	enter->userns_fd = -1;
	enter->network_ready_fd = -1;
	enter->network_fd = -1;
	enter->portal_fd = -1;
	enter->group_id = cx_guard_is_standing(box->guard) ? box->guard->id
	                                                   : box->id;
	enter->workspace_tree_fd = -1;
	enter->skills_tree_fd = -1;
	enter->proc_fd = -1;
	enter->world = outside->world;
	enter->outer_uid = outside->world.privileged ? box->outer_uid
	                                            : geteuid();
	enter->outer_gid = outside->world.privileged ? box->outer_gid
	                                            : getegid();
	if (cx_survey_counts_inside())
		enter->processes = box->profile->quota.pids + spare;
}

static void start(const struct cx_box *box, struct cx_outside *ret)
{
	ret->box = box;
	ret->began_us = cx_clock_mono_us();
	ret->sweeper = (struct cx_sweeper)CX_SWEEPER_NONE;
	ret->control_fd = -1;
	ret->portal_fd = -1;
	ret->usage = (struct cx_usage_files)CX_USAGE_NONE;
	ret->stream_fd[0] = -1;
	ret->stream_fd[1] = -1;
	ret->guarded = box->guard != NULL;
	if (ret->guarded)
		ret->subtree = box->guard->subtree;
	else
		cx_subtree_find(&ret->subtree);
	/* init tells what all that it reaped took; only a limit needs more */
	ret->of_group = ret->subtree;
	if (box->profile->quota.cpu_ms == 0)
		ret->of_group.fd[CX_HIERARCHY_CPUACCT] = -1;
	/* a guard's sweeper makes the network for who is */
	ret->world.privileged = ret->guarded ? box->guard->sweeper.network
	                                     : cx_idmap_is_privileged();
	ret->world.groups = cx_survey_has_groups(&ret->subtree);
	ret->world.born_in = ret->subtree.v2;
	ret->world.waits = box->late != NULL;
	ret->world.staged = !cx_survey_roots(box, ret->enter.roots,
	                                     ret->enter.layer);
	start_enter(ret, &ret->enter);
}

int cx_outside_plan(const struct cx_box *box, struct cx_outside *ret,
                   struct cx_err *err)
{
	start(box, ret);
	if (cx_plan_make(box, &ret->world, &ret->plan, err) < 0 ||
	    cx_plan_check(&ret->plan, err) < 0)
		return -1;
	return cx_holding_require(&box->profile->quota, ret->subtree.holds,
	                          &ret->holds, err);
}

static void use_sweeper(struct cx_outside *outside,
                        const struct cx_sweeper *sweeper)
{
	outside->helper = sweeper;
	outside->enter.network_ready_fd = sweeper->ready_fd;
	outside->enter.network_pid = sweeper->network ? sweeper->pid : 0;
}

static void close_ends(struct cx_enter *enter)
{
	cx_fd_close_at(&enter->control_fd);
	cx_fd_close_at(&enter->portal_fd);
	cx_fd_close_at(&enter->stream_fd[0]);
	cx_fd_close_at(&enter->stream_fd[1]);
	cx_fd_close_at(&enter->userns_fd);
	cx_fd_close_at(&enter->workspace_tree_fd);
	cx_fd_close_at(&enter->skills_tree_fd);
}

/* A sandbox that was made ahead, or what one is made of. */
static int take_berth(struct cx_outside *outside)
{
	outside->adopted = cx_standby_take(outside);
	if (!outside->adopted)
		return cx_berth_use(outside->box->guard, outside);
	close_ends(&outside->enter);
	return 0;
}

/* A guard's sweeper serves the first box under it. */
static int start_sweeper(struct cx_outside *outside)
{
	struct cx_guard *guard = outside->box->guard;

	if (cx_guard_is_standing(guard))
		return take_berth(outside);
	if (guard && !guard->used) {
		guard->used = true;
		use_sweeper(outside, &guard->sweeper);
		return 0;
	}
	if (cx_sweeper_start(&outside->subtree, outside->box,
	                     outside->world.privileged, false,
	                     &outside->sweeper) < 0)
		return -1;
	use_sweeper(outside, &outside->sweeper);
	return 0;
}

static int make_userns(struct cx_outside *outside, int *ret_fd)
{
	const struct cx_profile *profile = outside->box->profile;
	const struct cx_idmap map = {
		profile->uid, outside->enter.outer_uid,
		profile->gid, outside->enter.outer_gid,
	};

	cx_idmap_collect(&outside->stand);
	*ret_fd = cx_idmap_make(&map, &outside->stand);
	return *ret_fd < 0 ? -1 : 0;
}

/* A standing guard has one for as long as the host's ids are the same. */
static int take_userns(struct cx_outside *outside)
{
	struct cx_guard *guard = outside->box->guard;
	struct cx_enter *enter = &outside->enter;

	if (!cx_guard_is_standing(guard))
		return make_userns(outside, &enter->userns_fd);
	if (!cx_berth_fits(guard, enter) &&
	    make_userns(outside, &guard->berth.userns_fd) < 0)
		return -1;
	return cx_berth_share(guard, enter);
}

/* The workspace on disk is 10001's. Where its file system can't be seen
 * through a map, the command runs as 10001 outside as well. */
static int map_workspace(struct cx_outside *outside)
{
	struct cx_enter *enter = &outside->enter;

	if (enter->workspace_tree_fd >= 0 &&
	    cx_idmap_mount(enter->workspace_tree_fd, enter->userns_fd) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL)
		return -1;
	enter->outer_uid = outside->box->profile->uid;
	enter->outer_gid = outside->box->profile->gid;
	cx_fd_close_at(&enter->userns_fd);
	return take_userns(outside);
}

/* Without open_tree, or without the right to it, init binds by path. */
static int copy_volume(int fd, unsigned attributes, int *ret_tree_fd)
{
	*ret_tree_fd = cx_mount_copy(fd, "", attributes | CX_MOUNT_NOSUID |
	                             CX_MOUNT_NODEV);
	return *ret_tree_fd < 0 && errno != ENOSYS ? -1 : 0;
}

static int copy_volumes(struct cx_outside *outside)
{
	const struct cx_box *box = outside->box;

	if (box->late) /* they come with the command */
		return 0;
	if (copy_volume(box->workspace_fd, 0,
	                &outside->enter.workspace_tree_fd) < 0 ||
	    map_workspace(outside) < 0)
		return -1;
	if (box->skills_fd < 0)
		return 0;
	return copy_volume(box->skills_fd, CX_MOUNT_READ_ONLY,
	                   &outside->enter.skills_tree_fd);
}

/* Pipes that root made are root's: /dev/stdout couldn't be opened inside. */
static int make_pipe(const struct cx_outside *outside, int *ret_read,
                     int *ret_write)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC) < 0)
		return -1;
	*ret_read = end[0];
	*ret_write = end[1];
	if (!outside->world.privileged)
		return 0;
	return fchown(end[1], outside->enter.outer_uid,
	              outside->enter.outer_gid);
}

static int make_pipes(struct cx_outside *outside)
{
	int end[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
		return -1;
	outside->control_fd = end[0];
	outside->enter.control_fd = end[1];
	for (int i = 0; i < 2; i++)
		if (make_pipe(outside, &outside->stream_fd[i],
		              &outside->enter.stream_fd[i]) < 0)
			return -1;
	return cx_passage_make(outside);
}

/* Rootless, init finds the volumes by path, in its own copy of the mounts. */
static int find_paths(struct cx_outside *outside)
{
	const struct cx_box *box = outside->box;
	struct cx_enter *enter = &outside->enter;

	if (box->late)
		return 0;
	if (enter->workspace_tree_fd < 0 &&
	    cx_survey_path(box->workspace_fd, enter->workspace) < 0)
		return -1;
	if (box->skills_fd >= 0 && enter->skills_tree_fd < 0)
		return cx_survey_path(box->skills_fd, enter->skills);
	return 0;
}

static int clone_init(struct cx_outside *outside)
{
	uint64_t flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
	                 CLONE_NEWUTS;
	int cgroup_fd = outside->grouped ? cx_cgroup_clone_fd(&outside->group)
	                                : -1;
	pid_t pid;

	if (find_paths(outside) < 0)
		return -1;
	if (!outside->world.privileged)
		flags |= CLONE_NEWUSER;
	cx_affinity_stay(&outside->enter.may_use);
	pid = cx_group_begin(outside) < 0 ?
	      -1 : cx_clone_fork(flags, cgroup_fd);
	if (pid == 0)
		cx_enter_run(&outside->enter);
	if (!outside->aside.pid) /* or once the group stands */
		cx_affinity_roam(&outside->enter.may_use);
	if (pid < 0)
		return -1;
	outside->init_pid = pid;
	close_ends(&outside->enter);
	return 0;
}

enum cx_step cx_outside_go(struct cx_outside *outside, int *ret_errno)
{
	static int (*const act_of[CX_STEP_COUNT])(struct cx_outside *) = {
		[CX_STEP_SWEEPER] = start_sweeper,
		[CX_STEP_USERNS] = take_userns,
		[CX_STEP_VOLUMES] = copy_volumes,
		[CX_STEP_PIPES] = make_pipes,
		[CX_STEP_CGROUP] = cx_group_make,
		[CX_STEP_CLONE] = clone_init,
	};

	for (size_t i = 0; i < outside->plan.count; i++) {
		enum cx_step step = outside->plan.item[i].step;

		if (cx_step_place(step) != CX_STEP_OUTSIDE ||
		    (outside->adopted && cx_standby_has(step)) ||
		    act_of[step](outside) == 0)
			continue;
		*ret_errno = errno;
		return step;
	}
	return CX_STEP_NONE;
}

void cx_outside_release(struct cx_outside *outside, bool ended)
{
	if (!outside->grouped || !outside->helper ||
	    !cx_sweeper_lives(outside->helper))
		return;
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		cx_fd_close_at(&outside->group.fd[tree]);
	outside->grouped = false;
	outside->leaves = ended && outside->box->leave;
	if (!outside->leaves) /* or once it is dismissed: by then we are gone */
		cx_sweeper_remove(outside->helper);
}

/* It ends by itself, or is to end: a step outside failed after it was made. */
static void end_init(struct cx_outside *outside)
{
	if (outside->init_pid == 0)
		return;
	kill(outside->init_pid, SIGKILL);
	cx_clone_wait(outside->init_pid);
	outside->init_pid = 0;
}

void cx_outside_done(struct cx_outside *outside)
{
	if (outside->leaves) { /* all that is ours goes with us */
		cx_sweeper_dismiss(&outside->sweeper, true);
		return;
	}
	cx_group_settle(outside);
	end_init(outside);
	close_ends(&outside->enter);
	cx_fd_close_at(&outside->control_fd);
	cx_fd_close_at(&outside->portal_fd);
	cx_fd_close_at(&outside->stream_fd[0]);
	cx_fd_close_at(&outside->stream_fd[1]);
	cx_usage_done(&outside->usage);
	if (outside->grouped)
		cx_cgroup_remove(&outside->group, REMOVE_WAIT_MS);
	cx_sweeper_dismiss(&outside->sweeper, false);
	cx_idmap_collect(&outside->stand);
	/* box itself may be gone by now */
	if (!outside->guarded)
		cx_subtree_done(&outside->subtree);
}
