/* wall.c - see wall.h. */
#include "store/wall.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "model/profile.h"
#include "store/disk.h"
#include "store/lock.h"
#include "sys/idmap.h"
#include "sys/mount.h"
#include "sys/prjquota.h"

enum { FOLDER_KIB = 4 };

static const char too_old[] = "this kernel doesn't copy a mount that is "
                              "attached nowhere (Linux 6.15 does)";

static int refuse(const char *why, struct cx_err *err)
{
	return cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
	                  "%s; set limits.workspace_wall to another way, or "
	                  "accept a measured quota by name with "
	                  "limits.best_effort: [workspace]", why);
}

/* What is in the volume's own folder is left alone, and it isn't used again
 * for others. */
static void use(struct cx_volume *volume, int mount_fd, int data_fd)
{
	cx_fd_close_at(&volume->data_fd);
	cx_fd_close_at(&volume->spare_fd);
	volume->mount_fd = mount_fd;
	volume->data_fd = data_fd;
}

/* What the box does with it; older kernels copy only what is attached. */
static bool can_be_copied(int data_fd)
{
	CX_AUTO_FD int copy = cx_mount_copy(data_fd, "", 0);

	return copy >= 0;
}

static int limit_project(const struct cx_state *state,
                         const struct cx_quota *quota,
                         struct cx_volume *volume, struct cx_err *err)
{
	CX_AUTO_FD int lock = -1;

	if (cx_lock_take(state->fd, "run/projects.lock", CX_LOCK_EXCLUSIVE,
	                 true, &lock, err) < 0)
		return -1;
	if (cx_prjquota_limit(volume->data_fd,
	                     quota->workspace_kib + FOLDER_KIB,
	                     quota->inodes + 1) == 0) {
		/* the folder looks otherwise now than when it was handed out */
		cx_spare_look(volume->data_fd, &volume->form);
		return 0;
	}
	return refuse("the file system of the workspaces doesn't set a "
	              "project's limits", err);
}

static int use_project(const struct cx_state *state,
                       const struct cx_quota *quota, struct cx_volume *volume,
                       struct cx_err *err)
{
	if (!cx_prjquota_can(volume->data_fd))
		return refuse("the file system of the workspaces doesn't hold "
		              "project quotas (mount ext4 or xfs with "
		              "prjquota)", err);
	return limit_project(state, quota, volume, err);
}

static int use_image(const struct cx_state *state,
                     const struct cx_quota *quota, struct cx_volume *volume,
                     struct cx_err *err)
{
	int mount_fd, data_fd;

	(void)state;
	if (cx_disk_is(volume->lease_fd))
		return 0; /* found so when it was opened */
	if (!volume->made)
		return refuse("the workspace was made without a file system "
		              "of its own (export it, remove it and import "
		              "it again)", err);
	if (cx_disk_make(volume->lease_fd, quota->workspace_kib,
	                 quota->inodes, err) < 0)
		return -1;
	if (cx_disk_open(volume->lease_fd, &mount_fd, &data_fd, err) < 0) {
		cx_disk_drop(volume->lease_fd);
		return refuse("a file system in a file can't be mounted here",
		              err);
	}
	if (!can_be_copied(data_fd)) {
		cx_disk_drop(volume->lease_fd);
		close(data_fd);
		close(mount_fd);
		return refuse(too_old, err);
	}
	use(volume, mount_fd, data_fd);
	return 0;
}

static int make_tmpfs(const struct cx_quota *quota)
{
	CX_AUTO_FREE char *size = cx_mem_print(
		"%lluk", (unsigned long long)quota->workspace_kib);
	CX_AUTO_FREE char *inodes = cx_mem_print(
		"%llu", (unsigned long long)quota->inodes + 1);
	CX_AUTO_FREE char *owner = cx_mem_print("%d", (int)CX_PROFILE_ID);
	const struct cx_mount_option option[] = {
		{ "source", "workspace" }, { "size", size },
		{ "nr_inodes", inodes }, { "mode", "0755" },
		{ "uid", owner }, { "gid", owner }, { NULL, NULL },
	};

	return cx_mount_detached("tmpfs", option,
	                         CX_MOUNT_NOSUID | CX_MOUNT_NODEV);
}

static int use_tmpfs(const struct cx_state *state,
                     const struct cx_quota *quota, struct cx_volume *volume,
                     struct cx_err *err)
{
	CX_AUTO_FD int mount_fd = -1;
	int data_fd = -1;

	(void)state;
	if (!volume->passing)
		return refuse("tmpfs holds the workspace of one command, and "
		              "nothing that is to be kept", err);
	mount_fd = make_tmpfs(quota);
	if (mount_fd >= 0)
		data_fd = openat(mount_fd, ".",
		                 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (data_fd >= 0 && !can_be_copied(data_fd)) {
		close(data_fd);
		return refuse(too_old, err);
	}
	if (data_fd < 0)
		return refuse("a tmpfs can't be mounted here", err);
	use(volume, cx_fd_take(&mount_fd), data_fd);
	return 0;
}

static int use_best(const struct cx_state *state,
                    const struct cx_quota *quota, struct cx_volume *volume,
                    struct cx_err *err)
{
	if (cx_prjquota_can(volume->data_fd) && cx_idmap_is_privileged() &&
	    !cx_disk_is(volume->lease_fd))
		(void)limit_project(state, quota, volume, err);
	return 0;
}

static int measure(const struct cx_state *state, const struct cx_quota *quota,
                   struct cx_volume *volume, struct cx_err *err)
{
	(void)state;
	(void)quota;
	(void)volume;
	(void)err;
	return 0;
}

int cx_wall_raise(const struct cx_state *state, const struct cx_quota *quota,
                  struct cx_volume *volume, bool *ret_held, struct cx_err *err)
{
	static int (*const way[CX_QUOTA_WALLS])(
		const struct cx_state *, const struct cx_quota *,
		struct cx_volume *, struct cx_err *) = {
		[CX_QUOTA_WALL_AUTO] = use_best,
		[CX_QUOTA_WALL_PROJECT] = use_project,
		[CX_QUOTA_WALL_IMAGE] = use_image,
		[CX_QUOTA_WALL_TMPFS] = use_tmpfs,
		[CX_QUOTA_WALL_MEASURE] = measure,
	};
	bool asked = quota->workspace_wall != CX_QUOTA_WALL_AUTO &&
	             quota->workspace_wall != CX_QUOTA_WALL_MEASURE;

	*ret_held = true;
	if (asked && !cx_idmap_is_privileged())
		*ret_held = refuse("only root can raise a wall around a "
		                   "workspace", err) == 0;
	else
		*ret_held = way[quota->workspace_wall](state, quota, volume,
		                                       err) == 0;
	if (CX_PROMISE(wall_or_refused, *ret_held) ||
	    quota->best_effort[CX_QUOTA_WORKSPACE])
		return 0;
	return -1;
}
