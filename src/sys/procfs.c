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
	{ "fs", true, false },
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

/* What files, or folders, are covered with. */
struct cloth {
	const char *source;   /* /dev/null, or an empty folder */
	bool is_folder;
	char first[64];       /* what it covers already; "": nothing yet */
};

/* Another mount of what covers something already has its attributes. The first
 * of each kind is there on every machine: a copy without a target would be let
 * go of, and that waits for RCU. */
static int cover(const char *name, struct cloth *cloth)
{
	char target[sizeof cloth->first];
	int done;

	snprintf(target, sizeof target, "proc/%s", name);
	done = cloth->first[0] ? cx_mount_again(cloth->first, target)
	                       : cx_mount_bind(cloth->source, target,
	                                       attributes(cloth->is_folder));
	if (done < 0)
		return errno == ENOENT ? 0 : -1;
	if (!cloth->first[0])
		memcpy(cloth->first, target, sizeof target);
	return 0;
}

int cx_procfs_cover(bool root, const char *null_path, const char *empty_path)
{
	struct cloth cloth[] = {
		{ .source = null_path },
		{ .source = empty_path, .is_folder = true },
	};

	for (size_t i = 0; i < cx_procfs_mask_count; i++) {
		const struct cx_procfs_mask *mask = &cx_procfs_mask[i];

		if ((!mask->for_root || root) &&
		    cover(mask->name, &cloth[mask->is_folder]) < 0)
			return -1;
	}
	return 0;
}

int cx_procfs_no_userns(int proc_fd)
{
	CX_AUTO_FD int fd = openat(proc_fd, "sys/user/max_user_namespaces",
	                           O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1; /* no such namespaces at all */
	return cx_fd_write(fd, "0\n", 2);
}
