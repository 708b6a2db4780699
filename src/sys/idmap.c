/* idmap.c - see idmap.h. */
#include "sys/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "sys/clone.h"

enum { STAND_MS = 1000 };

/* The map of a namespace that holds every id begins so. */
static bool maps_everything(void)
{
	unsigned long inner, outer, count;
	char text[128];
	CX_AUTO_FD int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%lu %lu %lu", &inner, &outer, &count) == 3 &&
	       inner == 0 && count >= 4294967295UL;
}

bool cx_idmap_is_privileged(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };
	const unsigned need = 1U << CAP_SYS_ADMIN | 1U << CAP_SETUID |
	                      1U << CAP_SETGID;

	if (geteuid() != 0 || syscall(SYS_capget, &header, data) < 0)
		return false;
	return (data[0].effective & need) == need && maps_everything();
}

static int put(int dir_fd, const char *path, const char *text)
{
	CX_AUTO_FD int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	return cx_fd_write(fd, text, strlen(text));
}

static int write_map(int dir_fd, const char *path, unsigned inner,
                     unsigned outer)
{
	char text[48];

	snprintf(text, sizeof text, "%u %u 1", inner, outer);
	return put(dir_fd, path, text);
}

/* If the launcher dies before it can kill this, so does this. */
static int stand_for_a_moment(void *context)
{
	const struct cx_idmap_stand *stand = context;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	    getppid() == stand->owner)
		poll(NULL, 0, STAND_MS);
	return 0;
}

static int map_and_open(pid_t pid, const struct cx_idmap *map)
{
	char folder[32];
	CX_AUTO_FD int fd = -1;

	snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 ||
	    write_map(fd, "uid_map", map->inner_uid, map->outer_uid) < 0 ||
	    write_map(fd, "gid_map", map->inner_gid, map->outer_gid) < 0)
		return -1;
	return openat(fd, "ns/user", O_RDONLY | O_CLOEXEC);
}

int cx_idmap_make(const struct cx_idmap *map, struct cx_idmap_stand *stand)
{
	stand->owner = getpid();
	stand->pid = cx_clone_beside(stand_for_a_moment, stand, stand->stack,
	                             sizeof stand->stack,
	                             CLONE_NEWUSER | CLONE_FILES);
	if (stand->pid < 0) {
		stand->pid = 0;
		return -1;
	}
	return map_and_open(stand->pid, map);
}

void cx_idmap_release(const struct cx_idmap_stand *stand)
{
	if (stand->pid > 0)
		kill(stand->pid, SIGKILL);
}

void cx_idmap_collect(struct cx_idmap_stand *stand)
{
	cx_idmap_release(stand);
	if (stand->pid > 0)
		cx_clone_wait(stand->pid);
	stand->pid = 0;
}

/* The files in /proc/self belong to the process only while it is dumpable. */
int cx_idmap_self(int proc_fd, const struct cx_idmap *map)
{
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ||
	    (put(proc_fd, "self/setgroups", "deny") < 0 && errno != ENOENT) ||
	    write_map(proc_fd, "self/uid_map", map->inner_uid,
	              map->outer_uid) < 0 ||
	    write_map(proc_fd, "self/gid_map", map->inner_gid,
	              map->outer_gid) < 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* By system call: glibc's setresuid would look for other threads. */
int cx_idmap_enter(int userns_fd, const struct cx_idmap *map)
{
	if (syscall(SYS_setgroups, 0, NULL) < 0 ||
	    setns(userns_fd, CLONE_NEWUSER) < 0)
		return -1;
	if (syscall(SYS_setresgid, map->inner_gid, map->inner_gid,
	            map->inner_gid) < 0)
		return -1;
	return (int)syscall(SYS_setresuid, map->inner_uid, map->inner_uid,
	                    map->inner_uid);
}

int cx_idmap_mount(int tree_fd, int userns_fd)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_IDMAP,
		.userns_fd = (__u64)userns_fd,
	};

	return (int)syscall(SYS_mount_setattr, tree_fd, "", AT_EMPTY_PATH,
	                    &attr, sizeof attr);
}
