/* enter.c - see enter.h. */
#include "box/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/promise.h"
#include "box/command.h"
#include "box/init.h"
#include "box/late.h"
#include "box/made.h"
#include "box/passage.h"
#include "box/sweeper.h"
#include "box/tree.h"
#include "sys/caps.h"
#include "sys/clone.h"
#include "sys/heritage.h"
#include "sys/idmap.h"
#include "sys/mount.h"
#include "sys/procfs.h"
#include "sys/roster.h"
#include "sys/sieve.h"

typedef int act(struct cx_enter *enter, const struct cx_plan_item *item);

static int close_others(struct cx_enter *enter, const struct cx_plan_item *item)
{
	int keep[10 + CX_HIERARCHY_TREES + CX_BOX_LAYERS_MAX];
	size_t count = 0;

	(void)item;
	keep[count++] = enter->control_fd;
	keep[count++] = enter->stream_fd[0];
	keep[count++] = enter->stream_fd[1];
	keep[count++] = enter->box->stdin_fd;
	keep[count++] = enter->userns_fd;
	keep[count++] = enter->network_ready_fd;
	keep[count++] = enter->network_fd;
	keep[count++] = enter->portal_fd;
	keep[count++] = enter->workspace_tree_fd;
	keep[count++] = enter->skills_tree_fd;
	for (int i = 0; i < CX_HIERARCHY_TREES; i++)
		keep[count++] = enter->subtree->fd[i];
	for (size_t i = 0; i < enter->box->layer_count; i++)
		keep[count++] = enter->box->layer[i].fd;
	if (!CX_PROMISE(no_descriptor, cx_sieve_keep(keep, count) == 0))
		return -1;
	return 0;
}

static int drop_heritage(struct cx_enter *enter,
                         const struct cx_plan_item *item)
{
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)enter;
	(void)item;
	if (fd < 0 ||
	    !CX_PROMISE(no_heritage, cx_heritage_drop(fd) == 0))
		return -1;
	return 0;
}

/* The launcher makes the group meanwhile, and says when it stands. */
static int enter_cgroup(struct cx_enter *enter, const struct cx_plan_item *item)
{
	char word;
	ssize_t n;

	(void)item;
	do
		n = recv(enter->control_fd, &word, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		_exit(0); /* the launcher gave up, or is gone */
	if (n < 0)
		return -1;
	return cx_roster_join(enter->subtree, enter->group_id);
}

/* /proc/self/cgroup would tell the command's id and the caller's place; a
 * kernel without cgroups has nothing to tell. */
static int hide_cgroups(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	if (!CX_PROMISE(cgroup_names_hidden,
	                unshare(CLONE_NEWCGROUP) == 0 || errno == EINVAL))
		return -1;
	return 0;
}

/* Rootless, init stands in a first user namespace, which owns all others. */
static int map_caller(struct cx_enter *enter, const struct cx_plan_item *item)
{
	const struct cx_profile *profile = enter->box->profile;
	const struct cx_idmap map = {
		profile->uid, enter->outer_uid,
		profile->gid, enter->outer_gid,
	};
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)item;
	if (fd < 0 || cx_idmap_self(fd, &map) < 0)
		return -1;
	cx_porter_start(&enter->porter, &enter->may_use);
	return 0;
}

static int cut_off(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return cx_mount_private();
}

static int name_host(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return sethostname(CX_MADE_HOST, sizeof CX_MADE_HOST - 1);
}

/* Who is to clean up after a dead launcher is there, or nothing runs. */
static int hear_sweeper(const struct cx_enter *enter,
                        struct cx_sweeper_word *ret)
{
	if (cx_sweeper_listen(enter->network_ready_fd, ret) < 0)
		return -1;
	errno = ret->error;
	return ret->error ? -1 : 0;
}

static int join_network(const struct cx_enter *enter)
{
	CX_AUTO_FD int fd = cx_clone_namespace(enter->network_pid, "net");

	return fd < 0 ? -1 : setns(fd, CLONE_NEWNET);
}

static int enter_network(struct cx_enter *enter,
                         const struct cx_plan_item *item)
{
	struct cx_sweeper_word word;

	(void)item;
	if (enter->network_fd >= 0)
		return setns(enter->network_fd, CLONE_NEWNET);
	if (enter->network_ready_fd >= 0 && hear_sweeper(enter, &word) < 0)
		return -1;
	if (enter->network_pid)
		return join_network(enter);
	return cx_porter_enter(&enter->porter, enter->proc_fd);
}

/* What the sweeper saw, or the porter. ENOTUNIQ stands for "there is more than
 * loopback in it". */
static int see_alone(struct cx_enter *enter, const struct cx_plan_item *item)
{
	struct cx_sweeper_word word = { 0 };

	(void)item;
	if (!enter->network_pid) /* its porter did, or a standing guard */
		return cx_porter_end(&enter->porter);
	while (!word.last)
		if (hear_sweeper(enter, &word) < 0)
			return -1;
	if (CX_PROMISE(network_verified, word.alone)) {
		enter->network_pid = 0;
		return 0;
	}
	errno = ENOTUNIQ;
	return -1;
}

/* The portal wants loopback up, and isn't to be what the sweeper sees. */
static int open_passage(struct cx_enter *enter,
                        const struct cx_plan_item *item)
{
	return see_alone(enter, item) < 0 ? -1 : cx_passage_open(enter, item);
}

/* Last of the namespaces: all others belong to the one before, so that what
 * could be gained in this one counts for nothing in them. */
static int take_identity(struct cx_enter *enter,
                         const struct cx_plan_item *item)
{
	const struct cx_profile *profile = enter->box->profile;
	const struct cx_idmap map = {
		profile->uid, profile->uid, profile->gid, profile->gid,
	};

	(void)item;
	if (enter->userns_fd >= 0)
		return CX_PROMISE(identity_is_ours,
		                  cx_idmap_enter(enter->userns_fd, &map) == 0) ?
		       0 : -1;
	if (!CX_PROMISE(identity_is_ours, unshare(CLONE_NEWUSER) == 0 &&
	                cx_idmap_self(enter->proc_fd, &map) == 0))
		return -1;
	return 0;
}

static int forbid_userns(struct cx_enter *enter,
                         const struct cx_plan_item *item)
{
	(void)item;
	if (!CX_PROMISE(no_user_namespaces,
	                cx_procfs_no_userns(enter->proc_fd) == 0))
		return -1;
	return 0;
}

/* A change of credentials clears the death signal, so it is set after. If the
 * launcher died before that, its end of the socket is closed. */
static int tie_life(struct cx_enter *enter, const struct cx_plan_item *item)
{
	char byte;

	(void)item;
	if (!CX_PROMISE(dies_with_launcher,
	                prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
	if (recv(enter->control_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		_exit(0);
	return 0;
}

static int drop_capabilities(struct cx_enter *enter,
                             const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return cx_caps_no_new_privs() < 0 ? -1 : cx_caps_drop();
}

static int be_command(void *context)
{
	struct cx_enter *enter = context;

	cx_enter_steps(enter, CX_STEP_COMMAND);
	_exit(127);
}

/* Who can't wait for it couldn't tell how it ended. */
static int make_command(struct cx_enter *enter,
                        const struct cx_plan_item *item)
{
	(void)item;
	if (waitpid(-1, NULL, WNOHANG | __WALL) >= 0 || errno != ECHILD)
		return -1;
	enter->command_pid = cx_clone_vfork(be_command, enter, enter->stack,
	                                    sizeof enter->stack);
	return enter->command_pid < 0 ? -1 : 0;
}

static act *const act_of[CX_STEP_COUNT] = {
	[CX_STEP_CLOSE] = close_others,
	[CX_STEP_HERITAGE] = drop_heritage,
	[CX_STEP_ENTER_CGROUP] = enter_cgroup,
	[CX_STEP_CGROUP_NAMES] = hide_cgroups,
	[CX_STEP_BROKER] = map_caller,
	[CX_STEP_PRIVATE] = cut_off,
	[CX_STEP_HOSTNAME] = name_host,
	[CX_STEP_STAGING] = cx_tree_stage,
	[CX_STEP_ROOT] = cx_tree_root,
	[CX_STEP_DEV] = cx_tree_dev,
	[CX_STEP_DEVICE] = cx_tree_device,
	[CX_STEP_PROC] = cx_tree_proc,
	[CX_STEP_MASK] = cx_tree_mask,
	[CX_STEP_SHM] = cx_tree_tmpfs,
	[CX_STEP_TMP] = cx_tree_tmpfs,
	[CX_STEP_WORKSPACE] = cx_tree_volume,
	[CX_STEP_SKILLS] = cx_tree_volume,
	[CX_STEP_SCRIPT] = cx_tree_script,
	[CX_STEP_NETWORK] = enter_network,
	[CX_STEP_PORTAL] = open_passage,
	[CX_STEP_SEAL] = cx_tree_seal,
	[CX_STEP_PIVOT] = cx_tree_pivot,
	[CX_STEP_AWAIT] = cx_late_take,
	[CX_STEP_IDENTITY] = take_identity,
	[CX_STEP_NO_USERNS] = forbid_userns,
	[CX_STEP_LIFELINE] = tie_life,
	[CX_STEP_RLIMITS] = cx_command_rlimits,
	[CX_STEP_CAPABILITIES] = drop_capabilities,
	[CX_STEP_ALONE] = see_alone,
	[CX_STEP_FORK] = make_command,
	[CX_STEP_SESSION] = cx_command_session,
	[CX_STEP_STREAMS] = cx_command_streams,
	[CX_STEP_CWD] = cx_command_cwd,
	[CX_STEP_LANDLOCK] = cx_command_landlock,
	[CX_STEP_SECCOMP] = cx_command_seccomp,
	[CX_STEP_EXEC] = cx_command_exec,
};

bool cx_enter_steps(struct cx_enter *enter, enum cx_step_place place)
{
	for (size_t i = 0; i < enter->plan->count; i++) {
		const struct cx_plan_item *item = &enter->plan->item[i];

		if (cx_step_place(item->step) != place)
			continue;
		if (act_of[item->step](enter, item) == 0)
			continue;
		enter->fault = item->step;
		enter->fault_errno = errno;
		return false;
	}
	return true;
}

/* The command's own fault, if any, stands in the memory that it shared. */
void cx_enter_run(struct cx_enter *enter)
{
	enter->proc_fd = -1;
	if (!cx_enter_steps(enter, CX_STEP_INIT) ||
	    enter->fault != CX_STEP_NONE)
		cx_init_fail(enter);
	cx_init_watch(enter);
}
