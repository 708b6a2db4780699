/* tree.c - see tree.h. */
#include "box/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/promise.h"
#include "box/made.h"
#include "sys/dev.h"
#include "sys/mount.h"
#include "sys/overlay.h"
#include "sys/procfs.h"
#include "sys/root.h"

/* A place that no layer, volume or device is taken from. */
static const char staging_place[] = "/sys";

static int stage_made(void)
{
	CX_AUTO_FD int fd = -1;

	if (mkdir(CX_MADE_NAME, 0755) < 0)
		return -1;
	fd = open(CX_MADE_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : cx_made_fill(fd);
}

/* A tmpfs as the working folder, gone with the pivot: it holds the made layer
 * and a mount of each other one under a short name. (The host's /proc is there
 * still.) */
int cx_tree_stage(struct cx_enter *enter, const struct cx_plan_item *item)
{
	static const struct cx_mount_option option[] = {
		{ "source", "staging" }, { "mode", "0755" },
		{ "size", "1m" }, { NULL, NULL },
	};
	char path[PATH_MAX];

	(void)item;
	umask(0);
	if (cx_mount_new("tmpfs", option, CX_MOUNT_NOSUID | CX_MOUNT_NODEV,
	                 staging_place) < 0 ||
	    chdir(staging_place) < 0 || stage_made() < 0)
		return -1;
	for (size_t i = 0; i < enter->box->layer_count; i++) {
		char *target = enter->layer[i];

		snprintf(target, CX_SURVEY_NAME, "l%zu", i);
		if (cx_survey_path(enter->box->layer[i].fd, path) < 0 ||
		    mkdir(target, 0755) < 0 ||
		    cx_mount_bind(path, target, CX_MOUNT_READ_ONLY) < 0)
			return -1;
	}
	return 0;
}

/* The first item of this step mounts all of them: they are one overlay. */
int cx_tree_root(struct cx_enter *enter, const struct cx_plan_item *item)
{
	size_t count = enter->box->layer_count;

	if (item->source != CX_SOURCE_MADE)
		return 0;
	if (!enter->world.staged && chdir(enter->roots) < 0)
		return -1;
	enter->lower[0] = CX_MADE_NAME;
	for (size_t i = 0; i < count; i++)
		enter->lower[i + 1] = enter->layer[i];
	return cx_overlay_enter(enter->lower, count + 1,
	                        !enter->world.privileged,
	                        CX_MOUNT_READ_ONLY | CX_MOUNT_NOSUID |
	                        CX_MOUNT_NODEV);
}

int cx_tree_dev(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	umask(0);
	return cx_dev_mount();
}

int cx_tree_device(struct cx_enter *enter, const struct cx_plan_item *item)
{
	return cx_dev_add(item->name, enter->world.privileged);
}

/* What init has yet to write when the sandbox's own /proc is read-only, it
 * writes through the machine's, which it holds by a descriptor; or, where that
 * is read-only (a container's), through a second mount of the sandbox's, which
 * is attached nowhere. (To let go of that one waits for RCU.) */
static int hold_proc(void)
{
	struct statfs machine;
	int fd;

	if (statfs("/proc/sys", &machine) == 0 &&
	    !(machine.f_flags & ST_RDONLY))
		return open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = cx_mount_copy(AT_FDCWD, "proc", 0);

	if (fd >= 0 || errno != ENOSYS)
		return fd;
	if (cx_mount_bind("proc", "run/cx", 0) < 0)
		return -1;
	fd = open("run/cx", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (umount2("run/cx", MNT_DETACH) == 0)
		return fd;
	cx_fd_close_at(&fd);
	return -1;
}

int cx_tree_proc(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)item;
	if (cx_procfs_mount("proc", enter->box->profile->proc_pid) < 0)
		return -1;
	enter->proc_fd = hold_proc();
	return enter->proc_fd < 0 ? -1 : 0;
}

/* The folder under /dev/shm's mount to come is an empty one. */
int cx_tree_mask(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)item;
	return cx_procfs_cover(enter->outer_uid == 0, "dev/null", "dev/shm");
}

int cx_tree_tmpfs(struct cx_enter *enter, const struct cx_plan_item *item)
{
	char size[24];
	char inodes[24];
	const struct cx_mount_option option[] = {
		{ "source", "tmpfs" },
		{ "mode", item->writable ? "1777" : "0755" },
		{ "size", size },
		{ "nr_inodes", inodes },
		{ NULL, NULL },
	};
	unsigned attributes = CX_MOUNT_NOSUID | CX_MOUNT_NODEV;

	(void)enter;
	if (item->step == CX_STEP_SHM)
		attributes |= CX_MOUNT_NOEXEC;
	snprintf(size, sizeof size, "%llu", (unsigned long long)item->bytes);
	snprintf(inodes, sizeof inodes, "%llu",
	         (unsigned long long)item->inodes);
	return cx_mount_new("tmpfs", option, attributes, item->target + 1);
}

int cx_tree_volume(struct cx_enter *enter, const struct cx_plan_item *item)
{
	bool skills = item->step == CX_STEP_SKILLS;
	int tree_fd = skills ? enter->skills_tree_fd
	                     : enter->workspace_tree_fd;
	const char *path = skills ? enter->skills : enter->workspace;

	if (tree_fd >= 0)
		return cx_mount_attach(tree_fd, item->target + 1);
	return cx_mount_bind(path, item->target + 1,
	                     CX_MOUNT_NOSUID | CX_MOUNT_NODEV |
	                     (item->writable ? 0U : CX_MOUNT_READ_ONLY));
}

int cx_tree_script(struct cx_enter *enter, const struct cx_plan_item *item)
{
	const char *text = enter->box->command;
	CX_AUTO_FD int fd = -1;

	if (cx_tree_tmpfs(enter, item) < 0)
		return -1;
	fd = open("run/cx/command", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	          0444);
	if (fd < 0 || cx_fd_write(fd, text, strlen(text)) < 0)
		return -1;
	cx_fd_close_at(&fd);
	return cx_mount_restrict("run/cx", CX_MOUNT_READ_ONLY);
}

int cx_tree_seal(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	if (!CX_PROMISE(dev_is_read_only,
	                cx_mount_restrict("dev", CX_MOUNT_READ_ONLY) == 0) ||
	    !CX_PROMISE(proc_is_read_only,
	                cx_mount_restrict("proc", CX_MOUNT_READ_ONLY) == 0))
		return -1;
	return 0;
}

int cx_tree_pivot(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return cx_root_change();
}
