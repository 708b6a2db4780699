/* procfs.c - see procfs.h. */
#include "sys/procfs.h"

#include <errno.h>
#include <fcntl.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/promise.h"
#include "sys/mount.h"

/* What anybody may read there and the sandbox has no business with: the host's
 * boot parameters, keys, symbols, hardware. What only root may open needs a
 * cover only where who runs us is root without root's rights, and so is the
 * command; kcore and sysrq-trigger have one all the same. */
const struct cx_procfs_mask cx_procfs_mask[] = {
	{ "config.gz", false, false },
	{ "consoles", false, false },
	{ "diskstats", false, false },
	{ "kallsyms", false, false },
	{ "kcore", false, false },
	{ "key-users", false, false },
	{ "keys", false, false },
	{ "latency_stats", false, false },
	{ "modules", false, false },
	{ "partitions", false, false },
	{ "sched_debug", false, false },
	{ "sysrq-trigger", false, false },
	{ "timer_list", false, false },
	{ "slabinfo", false, true },
	{ "vmallocinfo", false, true },
	{ "cmdline", false, false },
	{ "acpi", true, false },
	{ "asound", true, false },
	{ "bus", true, false },
	{ "driver", true, false },
	{ "pressure", true, false },
	{ "scsi", true, false },
	/* counters of the whole machine that one sandbox could move and
	 * another read: open files, inodes, asynchronous requests */
	{ "sys/fs", true, false },
	{ "irq", true, false },
	{ "fs", true, false },
};
const size_t cx_procfs_mask_count = CX_COUNT(cx_procfs_mask);

int cx_procfs_mount(const char *target, bool pid_only)
{
	bool no_access = !CX_PROMISE(arguments_forgotten, false);
	const struct cx_mount_option option[] = {
		{ "source", "proc" },
		/* 1: no access to, 2: no sight of who can't be traced */
		{ "hidepid", pid_only ? "2" : no_access ? "1" : "0" },
		{ pid_only ? "subset" : NULL, "pid" },
		{ NULL, NULL },
	};

	return cx_mount_new("proc", option, CX_MOUNT_NOSUID | CX_MOUNT_NODEV |
	                    CX_MOUNT_NOEXEC, target);
}

static unsigned attributes(bool is_folder)
{
	return CX_MOUNT_READ_ONLY | CX_MOUNT_NOSUID | CX_MOUNT_NOEXEC |
	       (is_folder ? CX_MOUNT_NODEV : 0U);
}

/* Without open_tree or move_mount. */
static int cover_old(const char *target, const char *source, bool is_folder)
{
	if (access(target, F_OK) < 0 && errno == ENOENT)
		return 0;
	return cx_mount_bind(source, target, attributes(is_folder));
}

/* What files, or folders, are covered with. */
struct cloth {
	const char *source;   /* /dev/null, or an empty folder */
	bool is_folder;
	char first[64];       /* what it covers already; "": nothing yet */
	int spare_fd;         /* a copy that is to be used; -1: none */
};

/* A copy of what covers something already has its attributes. */
static int cut(const struct cloth *cloth)
{
	if (cloth->first[0])
		return cx_mount_copy(AT_FDCWD, cloth->first, 0);
	return cx_mount_copy(AT_FDCWD, cloth->source,
	                     attributes(cloth->is_folder));
}

/*
 * A copy whose target isn't there serves for the next one. The last of each
 * kind is there on every machine, so that none is left: letting go of a copy
 * that is attached nowhere would wait for RCU.
 */
static int cover(const char *name, struct cloth *cloth)
{
	char target[sizeof cloth->first];

	snprintf(target, sizeof target, "proc/%s", name);
	if (cloth->spare_fd < 0)
		cloth->spare_fd = cut(cloth);
	if (cloth->spare_fd >= 0 &&
	    cx_mount_attach(cloth->spare_fd, target) == 0) {
		cx_fd_close_at(&cloth->spare_fd);
		memcpy(cloth->first, target, sizeof target);
		return 0;
	}
	if (errno == ENOENT)
		return 0;
	return errno == ENOSYS ?
	       cover_old(target, cloth->source, cloth->is_folder) : -1;
}

int cx_procfs_cover(bool root, const char *null_path, const char *empty_path)
{
	struct cloth cloth[] = {
		{ .source = null_path, .spare_fd = -1 },
		{ .source = empty_path, .spare_fd = -1, .is_folder = true },
	};
	int done = 0;

	for (size_t i = 0; i < cx_procfs_mask_count && done == 0; i++) {
		const struct cx_procfs_mask *mask = &cx_procfs_mask[i];

		if (!mask->for_root || root)
			done = cover(mask->name, &cloth[mask->is_folder]);
	}
	cx_fd_close_at(&cloth[0].spare_fd);
	cx_fd_close_at(&cloth[1].spare_fd);
	return done;
}

int cx_procfs_no_userns(int proc_fd)
{
	CX_AUTO_FD int fd = openat(proc_fd, "sys/user/max_user_namespaces",
	                           O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1; /* no such namespaces at all */
	return cx_fd_write(fd, "0\n", 2);
}
