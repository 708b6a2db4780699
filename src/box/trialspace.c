/* trialspace.c - see trialspace.h. */
#include "box/trialspace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "sys/clone.h"
#include "sys/idmap.h"
#include "sys/mount.h"
#include "sys/netns.h"
#include "sys/overlay.h"
#include "sys/procfs.h"
#include "sys/root.h"

/* A folder that is there on every machine, to mount over in a namespace. */
static const char PLACE[] = "dev";

enum { INNER_ID = 10001, OUTER_ID = 0x60000000 };

static int nothing(const struct cx_trial_world *world,
                   struct cx_trial_outcome *outcome)
{
	(void)world;
	(void)outcome;
	return 0;
}

static int enter_mapped(struct cx_trial_outcome *outcome)
{
	const struct cx_idmap map = { INNER_ID, OUTER_ID, INNER_ID, OUTER_ID };
	struct cx_idmap_stand stand = { 0 };
	int fd;

	cx_trial_say(outcome, "clone");
	fd = cx_idmap_make(&map, &stand);
	cx_trial_check(outcome, fd);
	cx_idmap_collect(&stand);
	return fd < 0 ? -1 : CX_TRIAL_DO(outcome, "setns",
	                                 cx_idmap_enter(fd, &map));
}

int cx_trialspace_user(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	return world->privileged ? enter_mapped(outcome)
	       : cx_trial_inside(world, 0, nothing, outcome);
}

static int enter_last(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	const struct cx_idmap map = { geteuid(), geteuid(), getegid(),
	                              getegid() };
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)world;
	if (CX_TRIAL_DO(outcome, "unshare", unshare(CLONE_NEWUSER)) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "uid_map", cx_idmap_self(fd, &map));
}

int cx_trialspace_last_user(const struct cx_trial_world *world,
                            struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, 0, enter_last, outcome);
}

static int cut_off(const struct cx_trial_world *world,
                   struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "mount", cx_mount_private());
}

int cx_trialspace_mnt(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, cut_off, outcome);
}

static int look_for_one(const struct cx_trial_world *world,
                        struct cx_trial_outcome *outcome)
{
	(void)world;
	errno = ESRCH;
	return CX_TRIAL_DO(outcome, "getpid", getpid() == 1 ? 0 : -1);
}

int cx_trialspace_pid(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWPID, look_for_one, outcome);
}

int cx_trialspace_ipc(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWIPC, nothing, outcome);
}

static int name_host(const struct cx_trial_world *world,
                     struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "sethostname", sethostname("trial", 5));
}

int cx_trialspace_uts(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWUTS, name_host, outcome);
}

static int look_around(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	bool alone = false;

	(void)world;
	if (CX_TRIAL_DO(outcome, "loopback up", cx_netns_loopback()) < 0 ||
	    CX_TRIAL_DO(outcome, "netlink", cx_netns_look(&alone)) < 0)
		return -1;
	errno = ENOTUNIQ;
	return CX_TRIAL_DO(outcome, "loopback alone", alone ? 0 : -1);
}

int cx_trialspace_net(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNET, look_around, outcome);
}

static int hide_groups(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	int done = unshare(CLONE_NEWCGROUP);

	(void)world;
	/* a kernel without control groups has no names to hide */
	return CX_TRIAL_DO(outcome, "unshare", errno == EINVAL ? 0 : done);
}

int cx_trialspace_cgroup(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, 0, hide_groups, outcome);
}

/* The root as working folder, and a tmpfs over PLACE. */
static int cover(struct cx_trial_outcome *outcome)
{
	const struct cx_mount_option none[] = { { NULL, NULL } };

	if (CX_TRIAL_DO(outcome, "mount", cx_mount_private()) < 0 ||
	    CX_TRIAL_DO(outcome, "chdir", chdir("/")) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount",
	                   cx_mount_new("tmpfs", none, CX_MOUNT_NOSUID,
	                                PLACE));
}

static int cover_only(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	(void)world;
	return cover(outcome);
}

int cx_trialspace_tmpfs(const struct cx_trial_world *world,
                        struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, cover_only, outcome);
}

static int lay_over(const struct cx_trial_world *world,
                    struct cx_trial_outcome *outcome)
{
	static const char *const lower[] = { "a", "b" };

	if (cover(outcome) < 0 ||
	    CX_TRIAL_DO(outcome, "chdir", chdir(PLACE)) < 0 ||
	    CX_TRIAL_DO(outcome, "mkdir", mkdir("a", 0755)) < 0 ||
	    CX_TRIAL_DO(outcome, "mkdir", mkdir("b", 0755)) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount overlay",
	                   cx_overlay_enter(lower, 2, !world->privileged,
	                                    CX_MOUNT_READ_ONLY));
}

int cx_trialspace_overlay(const struct cx_trial_world *world,
                          struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, lay_over, outcome);
}

static int mount_proc(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	(void)world;
	if (cover(outcome) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount proc",
	                   cx_procfs_mount(PLACE, false));
}

int cx_trialspace_proc(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS | CLONE_NEWPID, mount_proc,
	                       outcome);
}

static int bind(const struct cx_trial_world *world,
                struct cx_trial_outcome *outcome)
{
	(void)world;
	if (CX_TRIAL_DO(outcome, "mount", cx_mount_private()) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount",
	                   cx_mount_bind("/dev/null", "/dev/zero",
	                                 CX_MOUNT_READ_ONLY |
	                                 CX_MOUNT_NOSUID | CX_MOUNT_NOEXEC));
}

int cx_trialspace_bind(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, bind, outcome);
}

static int make_node(const struct cx_trial_world *world,
                     struct cx_trial_outcome *outcome)
{
	(void)world;
	if (cover(outcome) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mknod",
	                   mknod("dev/null", S_IFCHR | 0666, makedev(1, 3)));
}

int cx_trialspace_node(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, make_node, outcome);
}

static int change_root(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	(void)world;
	if (cover(outcome) < 0 ||
	    CX_TRIAL_DO(outcome, "chdir", chdir(PLACE)) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "pivot_root", cx_root_change());
}

int cx_trialspace_pivot(const struct cx_trial_world *world,
                        struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, change_root, outcome);
}

int cx_trialspace_idmap(const struct cx_trial_world *world,
                        struct cx_trial_outcome *outcome)
{
	const struct cx_idmap map = { INNER_ID, OUTER_ID, INNER_ID, OUTER_ID };
	struct cx_idmap_stand stand = { 0 };
	CX_AUTO_FD int user_fd = cx_idmap_make(&map, &stand);
	CX_AUTO_FD int tree_fd = -1;

	cx_idmap_collect(&stand);
	if (CX_TRIAL_DO(outcome, "clone", user_fd) < 0)
		return -1;
	cx_trial_say(outcome, "open_tree");
	tree_fd = cx_mount_copy(world->volume_fd, "", 0);
	if (cx_trial_check(outcome, tree_fd) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount_setattr",
	                   cx_idmap_mount(tree_fd, user_fd));
}

static int try_fsopen(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "fsopen",
	                   syscall(SYS_fsopen, "tmpfs", 1U /* CLOEXEC */));
}

int cx_trialspace_fsopen(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, try_fsopen, outcome);
}

/* A copy of the device null, which isn't a tree. */
static long copy_null(void)
{
	return syscall(SYS_open_tree, AT_FDCWD, "/dev/null",
	               OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

static int try_open_tree(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "open_tree", copy_null());
}

int cx_trialspace_open_tree(const struct cx_trial_world *world,
                            struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, try_open_tree, outcome);
}

/* Without open_tree there is nothing to attach, and it isn't needed. */
static int try_move_mount(const struct cx_trial_world *world,
                          struct cx_trial_outcome *outcome)
{
	int fd = (int)copy_null();

	(void)world;
	if (fd < 0)
		return 0;
	return CX_TRIAL_DO(outcome, "move_mount",
	                   syscall(SYS_move_mount, fd, "", AT_FDCWD,
	                           "/dev/zero", 4U /* F_EMPTY_PATH */));
}

int cx_trialspace_move_mount(const struct cx_trial_world *world,
                             struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, try_move_mount, outcome);
}

static int try_mount_setattr(const struct cx_trial_world *world,
                             struct cx_trial_outcome *outcome)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID };

	(void)world;
	if (cover(outcome) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "mount_setattr",
	                   syscall(SYS_mount_setattr, AT_FDCWD, PLACE, 0U,
	                           &attr, sizeof attr));
}

int cx_trialspace_mount_setattr(const struct cx_trial_world *world,
                                struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNS, try_mount_setattr, outcome);
}
