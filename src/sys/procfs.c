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
	{ "cmdline", false, false },
	{ "kallsyms", false, false },
	{ "kcore", false, false },
	{ "key-users", false, false },
	{ "keys", false, false },
	{ "latency_stats", false, false },
	{ "sched_debug", false, false },
	{ "sysrq-trigger", false, false },
	/* counters of the whole machine that one sandbox could move and
	 * another read */
	{ "sys/fs/aio-nr", false, false },
	{ "sys/fs/dentry-state", false, false },
	{ "sys/fs/file-nr", false, false },
	{ "sys/fs/inode-nr", false, false },
	{ "sys/fs/inode-state", false, false },
	{ "timer_list", false, false },
	{ "acpi", true, false },
	{ "asound", true, false },
	{ "bus", true, false },
	{ "driver", true, false },
	{ "fs", true, false },
	{ "irq", true, false },
	{ "scsi", true, false },
	{ "slabinfo", false, true },
	{ "vmallocinfo", false, true },
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

int cx_procfs_cover(const struct cx_procfs_mask *mask, const char *null_path,
                    const char *empty_path)
{
	char target[64];

	snprintf(target, sizeof target, "proc/%s", mask->name);
	if (access(target, F_OK) < 0 && errno == ENOENT)
		return 0;
	return cx_mount_bind(mask->is_folder ? empty_path : null_path, target,
	                     CX_MOUNT_READ_ONLY | CX_MOUNT_NOSUID |
	                     CX_MOUNT_NOEXEC |
	                     (mask->is_folder ? CX_MOUNT_NODEV : 0U));
}

int cx_procfs_no_userns(int proc_fd)
{
	CX_AUTO_FD int fd = openat(proc_fd, "sys/user/max_user_namespaces",
	                           O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1; /* no such namespaces at all */
	return cx_fd_write(fd, "0\n", 2);
}
