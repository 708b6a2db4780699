/*
 * probe.c - what a command can reach that it shouldn't: one table of
 * attempts, run inside a sandbox.
 *
 *   probe [FACT=VALUE]...
 *
 * Facts are what the outside has laid out to be found: uid (whose ids we must
 * have), abstract (name of a listening abstract socket), shmkey (key of a
 * System V segment), mqueue (name of a message queue), canary (name of an
 * environment variable that the caller has set), host (the host's name),
 * memory (the limit in bytes, where one is held), paths (parts of host paths, separated by ':', that no mount may show).
 *
 * Each attempt runs in a process of its own and says nothing when it fails to
 * get anywhere. Prints "closed NAME" or "OPEN NAME: what was got" for each,
 * then the sums; the exit status is 0 when nothing is open.
 *
 *   probe lay NAME KEY
 *
 * is the outside's part, harmless: it listens on the abstract socket NAME,
 * makes a segment of KEY and a message queue /NAME, says "laid", waits for the
 * end of its standard input and removes them.
 *
 * Static, without a library beyond libc, so that it runs over any image.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "attempt.h"

extern char **environ;

/* Where the child tells it; ours, and nothing that the sandbox gave us. */
enum { TELL_FD = 900 };
static int tell_fd = -1;

static void must_not_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0) {
		got("%s opens%s", path, flags == O_RDONLY ? "" : " to write");
		close(fd);
	}
}

/* Opens and holds at least a byte. */
static void must_not_tell(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && read(fd, &byte, 1) == 1)
		got("%s can be read", path);
	if (fd >= 0)
		close(fd);
}

static bool read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while (have < size - 1 && (n = read(fd, ret + have,
	                                    size - 1 - have)) > 0)
		have += (size_t)n;
	ret[have] = '\0';
	close(fd);
	return true;
}

/* ---- identity ---------------------------------------------------------- */

static void identity(void)
{
	uid_t ids[6];
	gid_t groups[64];
	unsigned want = (unsigned)strtoul(fact("uid"), NULL, 10);

	if (getresuid(&ids[0], &ids[1], &ids[2]) < 0 ||
	    getresgid(&ids[3], &ids[4], &ids[5]) < 0)
		got("no ids");
	for (size_t i = 0; i < 6; i++)
		if (ids[i] != (want ? want : 10001))
			got("id %u", ids[i]);
	for (int i = 0, n = getgroups(64, groups); i < n; i++)
		if (groups[i] != (want ? want : 10001) && groups[i] != 65534)
			got("group %u", groups[i]);
}

static void become_root(void)
{
	must_fail("setuid(0)", setuid(0));
	must_fail("setgid(0)", setgid(0));
	must_fail("setresuid(0)", setresuid(0, 0, 0));
	must_fail("setgroups", setgroups(1, (gid_t[]){ 0 }));
	must_fail("setuid(1000)", setuid(1000));
}

static void capability_sets(void)
{
	static const char *const set[] = {
		"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:",
	};
	char text[8192];

	if (!read_text("/proc/self/status", text, sizeof text))
		got("no /proc/self/status");
	for (size_t i = 0; i < COUNT(set); i++) {
		const char *at = strstr(text, set[i]);

		if (!at || strtoull(at + 7, NULL, 16) != 0)
			got("%s %.17s", set[i], at ? at + 8 : "?");
	}
}

static void new_privileges(void)
{
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		got("no_new_privs isn't set");
	if (prctl(PR_GET_SECCOMP) != 2)
		got("no filter");
	must_fail("ambient", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE,
	                           CAP_NET_RAW, 0, 0));
}

static void must_not_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) >= 0)
		got("%s takes %s", path, text);
	if (fd >= 0)
		close(fd);
}

static void maps_of_ids(void)
{
	must_not_write("/proc/self/uid_map", "0 10001 1\n");
	must_not_write("/proc/self/gid_map", "0 10001 1\n");
	must_not_write("/proc/self/setgroups", "allow");
}

/* ---- namespaces -------------------------------------------------------- */

static const struct {
	const char *name;
	int flag;
} namespaces[] = {
	{ "user", CLONE_NEWUSER }, { "mnt", CLONE_NEWNS },
	{ "pid", CLONE_NEWPID }, { "net", CLONE_NEWNET },
	{ "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS },
	{ "cgroup", CLONE_NEWCGROUP }, { "time", 0x80 },
};

static void unshare_user(void)
{
	must_fail("unshare(CLONE_NEWUSER)", syscall(SYS_unshare,
	                                            CLONE_NEWUSER));
}

static void unshare_others(void)
{
	for (size_t i = 1; i < COUNT(namespaces); i++)
		must_fail(namespaces[i].name,
		          syscall(SYS_unshare, namespaces[i].flag));
}

static void clone_namespaces(void)
{
	for (size_t i = 0; i < COUNT(namespaces) - 1; i++) {
		long pid = syscall(SYS_clone, namespaces[i].flag | SIGCHLD, 0,
		                   0, 0, 0);

		if (pid == 0)
			_exit(0);
		must_fail(namespaces[i].name, pid);
	}
}

static void clone3_namespaces(void)
{
	uint64_t arg[11] = { CLONE_NEWUSER, [4] = SIGCHLD };
	long pid = syscall(SYS_clone3, arg, sizeof arg);

	if (pid == 0)
		_exit(0);
	must_fail("clone3", pid);
	if (pid < 0 && errno != ENOSYS)
		got("clone3: errno %d, not ENOSYS", errno);
}

static void set_namespaces(void)
{
	for (size_t i = 0; i < COUNT(namespaces); i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof path, "/proc/self/ns/%s",
		         namespaces[i].name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			must_fail(path, syscall(SYS_setns, fd, 0));
		snprintf(path, sizeof path, "/proc/1/ns/%s",
		         namespaces[i].name);
		must_not_open(path, O_RDONLY);
	}
}

/* ---- mounts and files -------------------------------------------------- */

static void mount_calls(void)
{
	uint64_t attr[4] = { 0 };

	must_fail("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
	must_fail("bind", mount("/", "/tmp", NULL, MS_BIND, NULL));
	must_fail("remount", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND,
	                           NULL));
	must_fail("umount", umount2("/tmp", MNT_DETACH));
	must_fail("open_tree", syscall(428, AT_FDCWD, "/", 1));
	must_fail("move_mount", syscall(429, -1, "", AT_FDCWD, "/tmp", 4));
	must_fail("fsopen", syscall(430, "tmpfs", 0));
	must_fail("fsconfig", syscall(431, 0, 0, NULL, NULL, 0));
	must_fail("fsmount", syscall(432, 0, 0, 0));
	must_fail("fspick", syscall(433, AT_FDCWD, "/", 0));
	must_fail("mount_setattr", syscall(442, AT_FDCWD, "/", 0, attr,
	                                   sizeof attr));
	must_fail("statmount", syscall(457, NULL, NULL, 0, 0));
	must_fail("listmount", syscall(458, NULL, NULL, 0, 0));
}

static void change_root(void)
{
	must_fail("chroot", chroot("/tmp"));
	must_fail("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
}

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(text, list[i]) == 0)
			return true;
	return false;
}

/* Exactly three mounts can be written to, and none tells a host's path. */
static void mount_table(void)
{
	static const char *const writable[] = { "/workspace", "/tmp",
	                                        "/dev/shm" };
	static char text[1 << 18];
	char *rest = text;
	char *line;

	if (!read_text("/proc/self/mountinfo", text, sizeof text))
		got("no mountinfo");
	while ((line = strsep(&rest, "\n"))) {
		char root[512], point[512], options[512];
		const char *super = strstr(line, " - ");
		struct stat st;

		if (sscanf(line, "%*s %*s %*s %511s %511s %511s", root, point,
		           options) != 3 || !super)
			continue;
		if (strncmp(options, "rw", 2) == 0 &&
		    !strstr(super, " ro") &&
		    strncmp(point, "/proc", 5) != 0 &&
		    !is_one_of(point, writable, COUNT(writable)))
			got("%s is writable", point);
		if (!strstr(options, "nosuid"))
			got("%s heeds setuid", point);
		/* a mask of a file is a device: /dev/null */
		if (!strstr(options, "nodev") &&
		    strncmp(point, "/dev", 4) != 0 &&
		    (lstat(point, &st) < 0 || !S_ISCHR(st.st_mode)))
			got("%s heeds devices", point);
	}
}

static void host_paths(void)
{
	static char text[1 << 18];
	static const char *const file[] = {
		"/proc/self/mounts", "/proc/self/maps", "/proc/self/cgroup",
		"/proc/self/environ", "/proc/1/cmdline", "/proc/1/environ",
	};
	char parts[1024];
	char *rest = parts;
	char *part;

	snprintf(parts, sizeof parts, "%s", fact("paths"));
	while ((part = strsep(&rest, ":")))
		for (size_t i = 0; *part && i < COUNT(file); i++)
			if (read_text(file[i], text, sizeof text) &&
			    memmem(text, sizeof text, part, strlen(part)))
				got("%s has %s", file[i], part);
	memset(text, 0, sizeof text);
}

/* A file in every folder of the tree that isn't ours to write to. */
static void write_below(const char *folder, int depth)
{
	static const char *const ours[] = { "/workspace", "/tmp", "/dev/shm",
	                                    "/proc" };
	char path[4096];
	DIR *dir;
	struct dirent *entry;
	int fd;

	if (is_one_of(folder, ours, COUNT(ours)))
		return;
	snprintf(path, sizeof path, "%s/.cx-probe", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		got("a file in %s", folder);
		close(fd);
		unlink(path);
	}
	dir = depth > 0 ? opendir(folder) : NULL;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s",
		         strcmp(folder, "/") ? folder : "", entry->d_name);
		write_below(path, depth - 1);
	}
	if (dir)
		closedir(dir);
}

static void write_root(void)
{
	write_below("/", 3);
	must_not_open("/etc/passwd", O_WRONLY);
	must_not_open("/etc/resolv.conf", O_WRONLY);
	must_not_open("/bin/sh", O_WRONLY);
	must_fail("chmod /etc", chmod("/etc", 0777));
	must_fail("rename /etc", rename("/etc", "/etc2"));
}

static void device_nodes(void)
{
	static const char *const known[] = {
		"null", "zero", "full", "random", "urandom", "tty", "ptmx",
	};
	DIR *dir = opendir("/dev");
	struct dirent *entry;

	must_fail("mknod c", mknod("/tmp/c", S_IFCHR | 0600, makedev(1, 1)));
	must_fail("mknod b", mknod("/tmp/b", S_IFBLK | 0600, makedev(8, 0)));
	must_fail("mknod whiteout", mknod("/tmp/w", S_IFCHR, 0));
	while (dir && (entry = readdir(dir))) {
		struct stat st;
		char path[300];

		snprintf(path, sizeof path, "/dev/%s", entry->d_name);
		if (lstat(path, &st) == 0 && (S_ISCHR(st.st_mode) ||
		                              S_ISBLK(st.st_mode)) &&
		    !is_one_of(entry->d_name, known, COUNT(known)))
			got("%s", path);
	}
	if (dir)
		closedir(dir);
}

/* Those that matter to a host; none may be there, under any name. */
static void machine_devices(void)
{
	static const char *const path[] = {
		"/dev/mem", "/dev/kmsg", "/dev/port", "/dev/kvm", "/dev/fuse",
		"/dev/net/tun", "/dev/loop0", "/dev/loop-control", "/dev/vda",
		"/dev/sda", "/dev/nvme0", "/dev/vsock", "/dev/vhost-vsock",
		"/dev/userfaultfd", "/dev/uinput", "/dev/console", "/dev/tty0",
		"/dev/hwrng", "/dev/snapshot", "/dev/mapper/control",
	};

	for (size_t i = 0; i < COUNT(path); i++)
		if (access(path[i], F_OK) == 0)
			got("%s", path[i]);
}

static void find_setuid(const char *folder, int depth)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[4096];
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (lstat(path, &st) < 0)
			continue;
		if (S_ISREG(st.st_mode) && st.st_mode & S_ISUID &&
		    st.st_uid != getuid()) {
			struct statfs fs;

			if (statfs(path, &fs) == 0 &&
			    !(fs.f_flags & ST_NOSUID))
				got("%s", path);
		}
		if (S_ISDIR(st.st_mode) && depth > 0)
			find_setuid(path, depth - 1);
	}
	if (dir)
		closedir(dir);
}

static void setuid_files(void)
{
	find_setuid("/bin", 1);
	find_setuid("/usr", 3);
}

static void file_handles(void)
{
	struct {
		struct file_handle head;
		unsigned char bytes[128];
	} handle = { .head.handle_bytes = 128 };
	int mount_id;
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	must_fail("name_to_handle_at", name_to_handle_at(AT_FDCWD, "/",
	          &handle.head, &mount_id, 0));
	handle.head.handle_bytes = 8;
	handle.head.handle_type = 1;
	memcpy(handle.bytes, "\2\0\0\0\0\0\0\0", 8);
	must_fail("open_by_handle_at", open_by_handle_at(root, &handle.head,
	                                                 O_RDONLY));
}

static void watch_everything(void)
{
	must_fail("fanotify_init", syscall(SYS_fanotify_init, 0, O_RDONLY));
	must_fail("fanotify_init", syscall(SYS_fanotify_init, 0x200,
	                                   O_RDONLY));
}

/* ---- /proc and /sys ---------------------------------------------------- */

static void core_pattern(void)
{
	must_not_open("/proc/sys/kernel/core_pattern", O_WRONLY);
	must_not_open("/proc/sys/kernel/modprobe", O_WRONLY);
	must_not_open("/proc/sys/kernel/hotplug", O_WRONLY);
	must_not_open("/proc/sys/fs/binfmt_misc/register", O_WRONLY);
}

static void open_to_write_below(const char *folder, int depth)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_type == DT_DIR && depth > 0)
			open_to_write_below(path, depth - 1);
		else if (entry->d_type == DT_REG)
			must_not_open(path, O_WRONLY);
	}
	if (dir)
		closedir(dir);
}

static void kernel_settings(void)
{
	open_to_write_below("/proc/sys", 5);
	open_to_write_below("/sys", 4);
}

static void proc_triggers(void)
{
	static const char *const path[] = {
		"/proc/sysrq-trigger", "/proc/mtrr", "/proc/latency_stats",
		"/proc/acpi/wakeup", "/proc/irq/default_smp_affinity",
		"/proc/fs/nfsd/exports", "/proc/scsi/scsi", "/proc/timer_stats",
		"/proc/pressure/memory", "/proc/bus/pci/00/00.0",
	};

	for (size_t i = 0; i < COUNT(path); i++)
		must_not_open(path[i], O_WRONLY);
}

/* Names may be read where all addresses are zeros. */
static void must_not_locate(const char *path)
{
	static char text[1 << 16];
	char *at = text;

	if (!read_text(path, text, sizeof text))
		return;
	/* words of eight digits or more, or after "0x" or around "-" */
	while (*(at += strspn(at, " \n:-x"))) {
		size_t size = strcspn(at, " \n:-x");

		if (size >= 4 && strspn(at, "0123456789abcdef") == size &&
		    strspn(at, "0") != size && strspn(at, "0123456789") != size)
			got("%s has %.*s", path, (int)size, at);
		at += size;
	}
}

static void proc_secrets(void)
{
	static const char *const path[] = {
		"/proc/kcore", "/proc/keys", "/proc/key-users",
		"/proc/timer_list", "/proc/sched_debug", "/proc/kmsg",
		"/proc/kpageflags", "/proc/kpagecount", "/proc/vmallocinfo",
		"/proc/slabinfo", "/proc/cmdline", "/proc/kallsyms",
		"/proc/latency_stats", "/proc/asound/cards",
	};

	for (size_t i = 0; i < COUNT(path); i++)
		must_not_tell(path[i]);
	must_not_locate("/proc/iomem");
	must_not_locate("/proc/ioports");
	must_not_locate("/proc/modules");
}

static void sys_tree(void)
{
	static const char *const path[] = {
		"/sys/fs/cgroup", "/sys/kernel", "/sys/firmware", "/sys/class",
		"/sys/block", "/sys/module",
	};

	for (size_t i = 0; i < COUNT(path); i++)
		if (access(path[i], F_OK) == 0)
			got("%s", path[i]);
}

static void own_cgroup(void)
{
	char text[4096];
	char *rest = text;
	char *line;

	if (!read_text("/proc/self/cgroup", text, sizeof text))
		return;
	while ((line = strsep(&rest, "\n"))) {
		const char *path = strrchr(line, ':');

		if (path && strcmp(path, ":/") != 0)
			got("%s", line);
	}
}

/* By any way to the tree of groups that anybody might have left. */
static void cgroup_writes(void)
{
	static const char *const place[] = {
		"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/cgroup",
		"/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids",
		"/sys/fs/cgroup/cpu", "/proc/1/root/sys/fs/cgroup",
		"/proc/1/cwd", "/proc/self/cwd/../sys/fs/cgroup",
	};
	static const char *const name[] = {
		"cgroup.procs", "tasks", "memory.max", "memory.limit_in_bytes",
		"memory.swap.max", "pids.max", "cpu.max", "cpu.cfs_quota_us",
		"cgroup.subtree_control", "release_agent", "cgroup.kill",
		"notify_on_release", "freezer.state",
	};
	char path[128];

	for (size_t i = 0; i < COUNT(place); i++)
		for (size_t j = 0; j < COUNT(name); j++) {
			snprintf(path, sizeof path, "%s/%s", place[i], name[j]);
			must_not_open(path, O_WRONLY);
		}
	must_fail("mount cgroup2", mount("none", "/tmp", "cgroup2", 0, NULL));
	must_fail("mount cgroup", mount("none", "/tmp", "cgroup", 0, "pids"));
	must_fail("fsopen cgroup2", syscall(430, "cgroup2", 0));
}

/* Init, the command, its shell's children and we. */
static void other_processes(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir))) {
		char path[300];
		char text[256];
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 1)
			continue;
		count++;
		snprintf(path, sizeof path, "/proc/%ld/comm", pid);
		if (read_text(path, text, sizeof text) &&
		    !strstr(text, "probe") && !strstr(text, "sh") &&
		    !strstr(text, "busybox"))
			got("process %ld, %s", pid, text);
	}
	if (dir)
		closedir(dir);
	if (count > 6)
		got("%d processes", count);
}

static void init_files(void)
{
	static const char *const name[] = {
		"mem", "environ", "maps", "auxv", "stack", "syscall",
		"personality",
	};
	static const char *const link[] = { "root", "cwd", "exe" };
	char path[64];
	char text[64];

	for (size_t i = 0; i < COUNT(name); i++) {
		snprintf(path, sizeof path, "/proc/1/%s", name[i]);
		must_not_tell(path);
	}
	for (size_t i = 0; i < COUNT(link); i++) {
		snprintf(path, sizeof path, "/proc/1/%s", link[i]);
		must_fail(path, readlink(path, text, sizeof text));
	}
	/* the numbers may be seen, where init's owner outside is ours */
	for (int fd = 0; fd < 32; fd++) {
		snprintf(path, sizeof path, "/proc/1/fd/%d", fd);
		must_fail(path, readlink(path, text, sizeof text));
		must_not_open(path, O_RDONLY);
		must_not_open(path, O_WRONLY);
	}
	must_not_open("/proc/1/oom_score_adj", O_WRONLY);
	must_not_open("/proc/1/mem", O_WRONLY);
}

/* ---- other processes --------------------------------------------------- */

static void trace_init(void)
{
	must_fail("ptrace(1)", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	must_fail("seize(1)", ptrace(PTRACE_SEIZE, 1, NULL, NULL));
}

static void read_init(void)
{
	char bytes[16];
	struct iovec mine = { bytes, sizeof bytes };
	struct iovec theirs = { (void *)0x400000, sizeof bytes };
	int pidfd = (int)syscall(SYS_pidfd_open, 1, 0);

	must_fail("process_vm_readv", process_vm_readv(1, &mine, 1, &theirs,
	                                               1, 0));
	must_fail("process_vm_writev", process_vm_writev(1, &mine, 1, &theirs,
	                                                 1, 0));
	for (int fd = 0; fd < 16; fd++)
		must_fail("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, fd,
		                                 0));
	must_fail("kcmp", syscall(SYS_kcmp, 1, getpid(), 0, 0, 0));
	must_fail("prlimit(1)", prlimit(1, RLIMIT_CPU,
	          &(struct rlimit){ 1, 1 }, NULL));
}

/* Nobody but us: every signal to init is lost, and -1 hits our own alone. */
static void signal_init(void)
{
	struct timespec time = { .tv_nsec = 20000000 };
	char text[4096];
	struct stat st;

	kill(1, SIGKILL);
	kill(1, SIGSTOP);
	kill(1, SIGTERM);
	kill(1, SIGHUP);
	nanosleep(&time, NULL);
	if (stat("/proc/1", &st) < 0)
		got("init is gone");
	else if (read_text("/proc/1/status", text, sizeof text) &&
	         strstr(text, "State:\tT"))
		got("init is stopped");
}

/* The same without /proc, which may hide what is there. */
static void foreign_pids(void)
{
	int count = 0;

	for (pid_t pid = 1; pid < 70000; pid++)
		if (kill(pid, 0) == 0 || errno == EPERM)
			count++;
	if (count > 7)
		got("%d processes", count);
}

/* ---- calls ------------------------------------------------------------- */

static void keyrings(void)
{
	must_fail("add_key", syscall(SYS_add_key, "user", "cx", "x", 1, -3));
	must_fail("request_key", syscall(SYS_request_key, "user", "cx", NULL,
	                                 0));
	must_fail("keyctl", syscall(SYS_keyctl, 0, -4, 1));
	must_fail("keyctl", syscall(SYS_keyctl, 0, -3, 1));
}

static void io_uring(void)
{
	char params[256] = { 0 };

	must_fail("io_uring_setup", syscall(425, 1, params));
	must_fail("io_uring_enter", syscall(426, 0, 0, 0, 0, NULL, 0));
	must_fail("io_uring_register", syscall(427, -1, 0, NULL, 0));
}

static void bpf(void)
{
	uint64_t attr[16] = { 2, 4 | 4ULL << 32, 1 };

	for (int command = 0; command < 8; command++)
		must_fail("bpf", syscall(SYS_bpf, command, attr, sizeof attr));
}

static void perf(void)
{
	uint64_t attr[16] = { 1 | 128ULL << 32 };

	must_fail("perf_event_open", syscall(SYS_perf_event_open, attr, 0, -1,
	                                     -1, 0));
}

static void userfaultfd(void)
{
	must_fail("userfaultfd", syscall(SYS_userfaultfd, 0));
	must_fail("userfaultfd", syscall(SYS_userfaultfd, 1));
}

static void kernel_code(void)
{
	must_fail("init_module", syscall(SYS_init_module, "", 0, ""));
	must_fail("finit_module", syscall(SYS_finit_module, 0, "", 0));
	must_fail("delete_module", syscall(SYS_delete_module, "cx", 0));
	must_fail("kexec_load", syscall(SYS_kexec_load, 0, 0, NULL, 0));
	must_fail("kexec_file_load", syscall(SYS_kexec_file_load, -1, -1, 0,
	                                     "", 0));
	/* a magic that the kernel refuses, were it asked with privilege */
	must_fail("reboot", syscall(SYS_reboot, 1, 2, 3, NULL));
}

static void machine_accounts(void)
{
	must_fail("acct", syscall(SYS_acct, "/tmp/acct"));
	must_fail("quotactl", syscall(SYS_quotactl, 0x800007 << 8, "/", 0,
	                              NULL));
	must_fail("swapon", syscall(SYS_swapon, "/tmp/swap", 0));
	must_fail("swapoff", syscall(SYS_swapoff, "/tmp/swap"));
}

static void kernel_log(void)
{
	char text[64];

	must_fail("syslog", syscall(SYS_syslog, 3, text, sizeof text));
	must_fail("syslog size", syscall(SYS_syslog, 10, NULL, 0));
	must_not_open("/dev/kmsg", O_RDONLY);
}

static void clocks_and_names(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	must_fail("clock_settime", clock_settime(CLOCK_REALTIME, &now));
	must_fail("settimeofday", syscall(SYS_settimeofday, NULL,
	                                  (int[2]){ 0, 0 }));
	must_fail("sethostname", sethostname("cx", 2));
	must_fail("setdomainname", setdomainname("cx", 2));
}

static void processor(void)
{
#ifdef __x86_64__
	must_fail("iopl", syscall(SYS_iopl, 3));
	must_fail("ioperm", syscall(SYS_ioperm, 0x80, 1, 1));
	must_fail("modify_ldt", syscall(SYS_modify_ldt, 0, NULL, 0));
#endif
	must_fail("personality", syscall(SYS_personality, 0x400000));
	must_fail("personality", syscall(SYS_personality, 8));
}

#ifdef __x86_64__
static void other_spellings(void)
{
	long result;
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		/* i386's getpid */
		__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L)
		                 : "memory");
		_exit(result > 0 ? 77 : 0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		got("i386's calls");
	/* a filter that kills at x32's getpid closes it as well */
	pid = fork();
	if (pid == 0)
		_exit(syscall(0x40000000L + 39) >= 0 ? 77 : 0);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		got("x32's calls");
}
#else
static void other_spellings(void)
{
}
#endif

/* Calls that no list knows yet must look as if they didn't exist. */
static void unknown_calls(void)
{
	for (long number = 470; number < 600; number++) {
		long result = syscall(number, 0, 0, 0, 0, 0, 0);

		if (result >= 0 || errno != ENOSYS)
			got("call %ld", number);
	}
}

static void terminal_input(void)
{
	char byte = 'x';
	int fds[] = { 0, 1, 2, open("/dev/tty", O_RDWR | O_CLOEXEC),
	              open("/dev/ptmx", O_RDWR | O_CLOEXEC | O_NOCTTY) };
	static const unsigned long request[] = {
		TIOCSTI, 0x5412 | 1UL << 32, 0x5412 | 0xdeadbeefUL << 32,
		TIOCLINUX, 0x541c | 1UL << 32,
	};

	if (fds[3] >= 0)
		got("a controlling terminal");
	for (size_t i = 0; i < COUNT(fds); i++)
		for (size_t j = 0; j < COUNT(request); j++) {
			long result = syscall(SYS_ioctl, fds[i], request[j],
			                      &byte);

			if (result >= 0 || errno != EPERM)
				got("ioctl 0x%lx on %d", request[j], fds[i]);
		}
}

/* Fills memory that no process's own limit knows of, in steps; the group's
 * limit ends it. */
static void fill(uint64_t limit)
{
	enum { STEP = 16 << 20 };

	for (uint64_t have = 0; have < limit + (64 << 20); have += STEP) {
		int fd = memfd_create("probe", MFD_CLOEXEC);
		char *at = MAP_FAILED;

		if (fd >= 0 && ftruncate(fd, STEP) == 0)
			at = mmap(NULL, STEP, PROT_READ | PROT_WRITE,
			          MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			_exit(0);
		memset(at, 1, STEP);
		close(fd);
	}
	_exit(77);
}

static void memory_files(void)
{
	uint64_t limit = strtoull(fact("memory"), NULL, 10);
	int status = 0;
	pid_t pid;

	must_fail("memfd_secret", syscall(447, 0));
	must_fail("memfd of huge pages", memfd_create("probe", MFD_HUGETLB));
	if (mmap(NULL, 1 << 21, PROT_READ | PROT_WRITE, MAP_PRIVATE |
	         MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED)
		got("huge pages");
	must_fail("segment of huge pages", shmget(IPC_PRIVATE, 1 << 21,
	                                          SHM_HUGETLB | 0600));
	if (limit == 0)
		return;
	pid = fork();
	if (pid == 0)
		fill(limit);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		got("memory beyond %llu", (unsigned long long)limit);
}

/* ---- network ----------------------------------------------------------- */

static void domains(void)
{
	for (int domain = 0; domain < 64; domain++) {
		if (domain == AF_UNIX || domain == AF_INET ||
		    domain == AF_INET6)
			continue;
		for (int type = 1; type <= 5; type++) {
			int fd = socket(domain, type, 0);

			if (fd >= 0) {
				got("socket domain %d", domain);
				close(fd);
				break;
			}
		}
	}
}

static void vsock(void)
{
	must_fail("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
	must_fail("vsock", socket(AF_VSOCK, SOCK_SEQPACKET, 0));
	must_fail("vsock", socket(AF_VSOCK, SOCK_DGRAM, 0));
}

static void netlink(void)
{
	for (int protocol = 0; protocol < 32; protocol++)
		must_fail("netlink", socket(AF_NETLINK, SOCK_RAW, protocol));
}

static void raw_sockets(void)
{
	must_fail("raw", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
	must_fail("raw6", socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6));
	must_fail("ping", socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
	must_fail("sctp", socket(AF_INET, SOCK_SEQPACKET, 132));
	must_fail("dccp", socket(AF_INET, 6, 33));
	must_fail("mptcp", socket(AF_INET, SOCK_STREAM, 262));
	must_fail("packet", socket(AF_PACKET, SOCK_RAW, 0x300));
}

static void reach(const char *address, int type)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
	                          .sin_port = htons(53) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
	                           .sin6_port = htons(53) };
	bool six = strchr(address, ':');
	int fd = socket(six ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK |
	                SOCK_CLOEXEC, 0);
	int result;

	if (fd < 0)
		return;
	inet_pton(AF_INET, address, &v4.sin_addr);
	inet_pton(AF_INET6, address, &v6.sin6_addr);
	result = six ? connect(fd, (struct sockaddr *)&v6, sizeof v6)
	             : connect(fd, (struct sockaddr *)&v4, sizeof v4);
	if (result == 0 || errno == EINPROGRESS)
		got("a way to %s", address);
	close(fd);
}

static void network(void)
{
	static const char *const address[] = {
		"1.1.1.1", "8.8.8.8", "169.254.169.254", "10.0.0.1",
		"172.17.0.1", "192.168.0.1", "100.64.0.1", "224.0.0.1",
		"255.255.255.255", "2606:4700:4700::1111", "fe80::1",
		"fd00::1", "ff02::1", "::ffff:1.1.1.1", "64:ff9b::101:101",
	};

	for (size_t i = 0; i < COUNT(address); i++) {
		reach(address[i], SOCK_STREAM);
		reach(address[i], SOCK_DGRAM);
	}
}

static void interfaces(void)
{
	char text[4096];
	char *rest = text;
	char *line;
	struct if_nameindex *all = if_nameindex();

	for (struct if_nameindex *at = all; at && at->if_index; at++)
		if (strcmp(at->if_name, "lo") != 0)
			got("%s", at->if_name);
	if (!read_text("/proc/net/dev", text, sizeof text))
		return;
	while ((line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		line += strspn(line, " ");
		if (strcmp(line, "lo") != 0)
			got("interface %s", line);
	}
}

static void host_sockets(void)
{
	static const char *const path[] = {
		"/run/docker.sock", "/var/run/docker.sock",
		"/run/dbus/system_bus_socket", "/run/systemd/private",
		"/run/containerd/containerd.sock", "/run/user",
		"/var/run/nscd/socket", "/run/snapd.socket",
	};
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const char *abstract = fact("abstract");
	size_t size = strlen(abstract);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (size_t i = 0; i < COUNT(path); i++)
		if (access(path[i], F_OK) == 0)
			got("%s", path[i]);
	if (size == 0 || size >= sizeof name.sun_path)
		return;
	memcpy(name.sun_path + 1, abstract, size);
	if (connect(fd, (struct sockaddr *)&name,
	            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	                        size)) == 0)
		got("the host's abstract socket");
}

/* ---- between sandboxes and host ---------------------------------------- */

static void sysv(void)
{
	char text[8192];
	key_t key = (key_t)strtol(fact("shmkey"), NULL, 0);

	if (key)
		must_fail("shmget", shmget(key, 0, 0));
	if (read_text("/proc/sysvipc/shm", text, sizeof text) &&
	    strchr(text, '\n') && strchr(text, '\n')[1])
		got("a segment");
}

static void queues(void)
{
	const char *name = fact("mqueue");

	if (*name)
		must_fail("mq_open", syscall(SYS_mq_open, name, O_RDONLY, 0,
		                             NULL));
}

static void descriptors(void)
{
	for (int fd = 3; fd < 4096; fd++) {
		char path[64];
		char target[256];
		ssize_t size;

		if (fd == tell_fd || fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof target - 1);
		target[size < 0 ? 0 : size] = '\0';
		got("%d, %s", fd, target);
	}
}

static void environment(void)
{
	static const char *const secret[] = {
		"CX_", "LD_", "SSH_", "AWS_", "GITHUB_", "DBUS_", "SUDO_",
		"XDG_", "BASH_ENV=", "ENV=",
	};
	const char *canary = fact("canary");

	for (char **at = environ; *at; at++) {
		for (size_t i = 0; i < COUNT(secret); i++)
			if (strncmp(*at, secret[i], strlen(secret[i])) == 0)
				got("%.40s", *at);
		if (*canary && strncmp(*at, canary, strlen(canary)) == 0)
			got("the caller's %.40s", *at);
	}
}

static void streams(void)
{
	char byte;
	struct stat st;

	for (int fd = 0; fd < 3; fd++) {
		if (fstat(fd, &st) < 0)
			got("%d is closed", fd);
		else if (isatty(fd))
			got("%d is a terminal", fd);
		else if (S_ISSOCK(st.st_mode) || S_ISDIR(st.st_mode))
			got("%d is a socket or a folder", fd);
	}
	/* what is written to is a pipe from which nothing comes back */
	if (fstat(1, &st) == 0 && S_ISREG(st.st_mode) &&
	    read(1, &byte, 1) == 1)
		got("output can be read back");
}

static void host_name(void)
{
	char name[256] = "";
	const char *host = fact("host");

	gethostname(name, sizeof name - 1);
	if (*host && strcmp(name, host) == 0)
		got("%s", name);
}

static void priorities(void)
{
	struct sched_param param = { .sched_priority = 1 };

	must_fail("real time", sched_setscheduler(0, SCHED_FIFO, &param));
	errno = 0;
	if (setpriority(PRIO_PROCESS, 0, -5) == 0)
		got("nice -5");
	must_fail("more files", setrlimit(RLIMIT_NOFILE,
	          &(struct rlimit){ 1 << 20, 1 << 20 }));
}

static void core_dumps(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max > 1)
		got("core limit %llu", (unsigned long long)limit.rlim_max);
	/* with 0 a core handler behind a pipe would run, as the host's root */
	if (limit.rlim_max == 0)
		got("core limit 0");
}

static void out_of_memory_score(void)
{
	must_not_write("/proc/self/oom_score_adj", "-1000");
}

static void merged_memory(void)
{
	void *at = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must_fail("MADV_MERGEABLE", madvise(at, 1 << 16, 12));
	must_fail("PR_SET_MEMORY_MERGE", prctl(67, 1, 0, 0, 0));
}

static void set_mm(void)
{
	must_fail("PR_SET_MM", prctl(PR_SET_MM, PR_SET_MM_ARG_START,
	                             0x10000, 0, 0));
	must_fail("PR_SCHED_CORE", prctl(62, 0, 0, 0, 0));
}

static void quota_project(void)
{
	/* struct fsxattr: xflags, extsize, nextents, projid, cowextsize */
	uint32_t attr[7] = { 0 };
	int fd = open("/workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, 0x401c5820, attr) == 0)
		got("the workspace's project can be set");
}

static const struct attempt table[] = {
	{ "identity", identity },
	{ "become root", become_root },
	{ "capability sets", capability_sets },
	{ "new privileges", new_privileges },
	{ "id maps", maps_of_ids },
	{ "user namespaces", unshare_user },
	{ "other namespaces", unshare_others },
	{ "clone with namespaces", clone_namespaces },
	{ "clone3", clone3_namespaces },
	{ "setns", set_namespaces },
	{ "mount calls", mount_calls },
	{ "chroot, pivot_root", change_root },
	{ "mount table", mount_table },
	{ "host paths", host_paths },
	{ "write to the root", write_root },
	{ "device nodes", device_nodes },
	{ "machine devices", machine_devices },
	{ "setuid files", setuid_files },
	{ "file handles", file_handles },
	{ "fanotify", watch_everything },
	{ "core_pattern", core_pattern },
	{ "kernel settings", kernel_settings },
	{ "triggers in /proc", proc_triggers },
	{ "secrets in /proc", proc_secrets },
	{ "/sys", sys_tree },
	{ "cgroup names", own_cgroup },
	{ "cgroup writes", cgroup_writes },
	{ "other processes", other_processes },
	{ "files of init", init_files },
	{ "trace init", trace_init },
	{ "read init", read_init },
	{ "signal init", signal_init },
	{ "foreign pids", foreign_pids },
	{ "keyrings", keyrings },
	{ "io_uring", io_uring },
	{ "bpf", bpf },
	{ "perf", perf },
	{ "userfaultfd", userfaultfd },
	{ "modules, kexec, reboot", kernel_code },
	{ "acct, quota, swap", machine_accounts },
	{ "kernel log", kernel_log },
	{ "clocks and names", clocks_and_names },
	{ "processor", processor },
	{ "i386 and x32", other_spellings },
	{ "unknown calls", unknown_calls },
	{ "terminal input", terminal_input },
	{ "socket domains", domains },
	{ "vsock", vsock },
	{ "netlink", netlink },
	{ "raw sockets", raw_sockets },
	{ "network", network },
	{ "interfaces", interfaces },
	{ "host's sockets", host_sockets },
	{ "System V memory", sysv },
	{ "message queues", queues },
	{ "descriptors", descriptors },
	{ "environment", environment },
	{ "streams", streams },
	{ "host's name", host_name },
	{ "priorities and limits", priorities },
	{ "core dumps", core_dumps },
	{ "out-of-memory score", out_of_memory_score },
	{ "merged memory", merged_memory },
	{ "memory files", memory_files },
	{ "process layout, core scheduling", set_mm },
	{ "quota project", quota_project },
};

/* Runs an attempt in a child; what it got is in found. */
static void try(size_t i)
{
	int ends[2];
	int status = 0;
	ssize_t n;
	pid_t pid;

	found[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0) {
		got("no pipe");
		return;
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		tell_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, TELL_FD);
		close(ends[0]);
		close(ends[1]);
		alarm(60);
		table[i].attempt();
		n = write(tell_fd, found, strlen(found));
		_exit(n < 0);
	}
	close(ends[1]);
	n = read(ends[0], found, sizeof found - 1);
	found[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status))
		got("the attempt ended by signal %d", WTERMSIG(status));
}

static int lay(const char *name, const char *key_text)
{
	int segment = shmget((key_t)strtol(key_text, NULL, 0), 4096,
	                     IPC_CREAT | 0666);
	char byte;

	if (serve_unix(name, true) < 0 || segment < 0 ||
	    syscall(SYS_mq_open, name, O_CREAT | O_RDWR, 0666, NULL) < 0)
		return 1;
	printf("laid\n");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	shmctl(segment, IPC_RMID, NULL);
	syscall(SYS_mq_unlink, name);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "lay") == 0)
		return lay(argv[2], argv[3]);
	facts = argv + 1;
	if (is_outside())
		return 2;
	for (size_t i = 0; i < COUNT(table); i++) {
		try(i);
		tell(table[i].name);
	}
	return add_up(COUNT(table));
}
