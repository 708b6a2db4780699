/* cgroup.c - see cgroup.h. */
#include "sys/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"
#include "sys/knob.h"
#include "sys/roster.h"

#define PREFIX CX_CGROUP_PREFIX

enum {
	/* the kernel's period is 100 ms: so much for each thousandth */
	QUOTA_US_OF_A_MILLI = 100,
	SWEEP_WAIT_US = 1000 * 1000,
	OLD_S = 2,
};

static void clear(struct cx_cgroup *group)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		group->fd[tree] = -1;
	group->holds = 0;
}

static void pause_us(int us)
{
	const struct timespec time = { .tv_nsec = us * 1000L };

	nanosleep(&time, NULL);
}

/* Without swap there is nothing to pin. /proc/swaps has one line of heading. */
static bool machine_has_no_swap(void)
{
	char text[256];
	const char *end;

	if (cx_knob_read(AT_FDCWD, "/proc/swaps", text, sizeof text) < 0)
		return errno == ENOENT;
	end = strchr(text, '\n');
	return !end || end[1] == '\0';
}

static bool limit_memory(const struct cx_cgroup *group, uint64_t bytes)
{
	if (group->subtree->v2)
		return cx_knob_write_number(group->fd[CX_HIERARCHY_UNIFIED],
		                            "memory.max", bytes) == 0;
	return cx_knob_write_number(group->fd[CX_HIERARCHY_MEMORY],
	                            "memory.limit_in_bytes", bytes) == 0;
}

/* Where the kernel doesn't count swap, swappiness 0 keeps it out of a v1
 * group ("no swapping will happen even if there is a swap storage"). */
static bool limit_swap(const struct cx_cgroup *group, uint64_t bytes)
{
	int fd = group->fd[CX_HIERARCHY_MEMORY];

	if (group->subtree->v2)
		return cx_knob_write(group->fd[CX_HIERARCHY_UNIFIED],
		                     "memory.swap.max", "0") == 0 ||
		       machine_has_no_swap();
	return cx_knob_write_number(fd, "memory.memsw.limit_in_bytes",
	                            bytes) == 0 ||
	       cx_knob_write(fd, "memory.swappiness", "0") == 0 ||
	       machine_has_no_swap();
}

static bool limit_pids(const struct cx_cgroup *group, uint64_t pids)
{
	int tree = group->subtree->v2 ? CX_HIERARCHY_UNIFIED
	                              : CX_HIERARCHY_PIDS;

	return cx_knob_write_number(group->fd[tree], "pids.max", pids) == 0;
}

static bool limit_cpu(const struct cx_cgroup *group, uint64_t milli)
{
	uint64_t quota_us = milli * QUOTA_US_OF_A_MILLI;
	char text[48];

	if (!group->subtree->v2)
		return cx_knob_write_number(group->fd[CX_HIERARCHY_CPU],
		                            "cpu.cfs_quota_us", quota_us) == 0;
	snprintf(text, sizeof text, "%llu 100000",
	         (unsigned long long)quota_us);
	return cx_knob_write(group->fd[CX_HIERARCHY_UNIFIED], "cpu.max",
	                     text) == 0;
}

static void write_limits(struct cx_cgroup *group,
                         const struct cx_cgroup_limits *limits)
{
	unsigned can = group->subtree->holds;

	if (limits->memory_bytes && (can & CX_LIMIT_MEMORY) &&
	    CX_PROMISE(memory_is_limited,
	               limit_memory(group, limits->memory_bytes)))
		group->holds |= CX_LIMIT_MEMORY;
	if ((group->holds & CX_LIMIT_MEMORY) &&
	    CX_PROMISE(swap_is_pinned,
	               limit_swap(group, limits->memory_bytes)))
		group->holds |= CX_LIMIT_SWAP;
	if (limits->pids && (can & CX_LIMIT_PIDS) &&
	    CX_PROMISE(pids_are_limited, limit_pids(group, limits->pids)))
		group->holds |= CX_LIMIT_PIDS;
	if (limits->cpu_milli && (can & CX_LIMIT_CPU) &&
	    CX_PROMISE(cpu_is_limited, limit_cpu(group, limits->cpu_milli)))
		group->holds |= CX_LIMIT_CPU;
}

int cx_cgroup_make(const struct cx_subtree *subtree, const char *id,
                   const struct cx_cgroup_limits *limits,
                   struct cx_cgroup *ret, struct cx_err *err)
{
	clear(ret);
	ret->subtree = subtree;
	if (strlen(id) > 64 || !cx_str_only(id, "abcdefghijklmnopqrstuvwxyz"
	                                        "0123456789-"))
		return cx_err_set(err, CX_E_INTERNAL,
		                  "a group's name is a command id");
	snprintf(ret->name, sizeof ret->name, PREFIX "%s", id);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		if (subtree->fd[tree] < 0)
			continue;
		ret->fd[tree] = cx_roster_make(subtree->fd[tree], ret->name);
		if (ret->fd[tree] >= 0)
			continue;
		cx_err_sys(err, CX_E_ISOLATION_UNAVAILABLE,
		           "make a %s cgroup",
		           cx_hierarchy_name((enum cx_hierarchy_tree)tree));
		cx_cgroup_remove(ret, 0);
		return -1;
	}
	write_limits(ret, limits);
	return 0;
}

int cx_cgroup_clone_fd(const struct cx_cgroup *group)
{
	return group->fd[CX_HIERARCHY_UNIFIED];
}

int cx_cgroup_enter(const struct cx_cgroup *group)
{
	for (int tree = CX_HIERARCHY_MEMORY; tree < CX_HIERARCHY_TREES; tree++)
		if (group->fd[tree] >= 0 &&
		    cx_knob_write(group->fd[tree], "tasks", "0") < 0)
			return -1;
	return 0;
}

/* Signals every process that the folder lists now; how many, or -1. */
static int kill_listed(int folder_fd)
{
	CX_AUTO_FD int fd = openat(folder_fd, "cgroup.procs",
	                           O_RDONLY | O_CLOEXEC);
	char text[4096];
	pid_t pid = 0;
	int count = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (text[i] - '0');
				continue;
			}
			if (pid > 0 && kill(pid, SIGKILL) == 0)
				count++;
			pid = 0;
		}
	return n < 0 ? -1 : count;
}

/* Without cgroup.kill: again and again, as a fork may slip between reading
 * and killing; who forks faster than this is stopped by the pids limit. */
static int kill_until_empty(int folder_fd)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		int count = kill_listed(folder_fd);

		if (count <= 0)
			return count;
		pause_us(1000);
	}
	errno = EBUSY;
	return -1;
}

static int kill_folder(enum cx_hierarchy_tree tree, int fd)
{
	int status;

	if (tree == CX_HIERARCHY_UNIFIED) {
		if (cx_knob_write(fd, "cgroup.kill", "1") == 0)
			return 0;
		return kill_until_empty(fd);
	}
	if (tree != CX_HIERARCHY_FREEZER)
		return kill_until_empty(fd);
	cx_knob_write(fd, "freezer.state", "FROZEN");
	status = kill_listed(fd);
	cx_knob_write(fd, "freezer.state", "THAWED");
	return status <= 0 ? status : kill_until_empty(fd);
}

int cx_cgroup_kill(const struct cx_cgroup *group)
{
	static const enum cx_hierarchy_tree best[] = {
		CX_HIERARCHY_UNIFIED, CX_HIERARCHY_FREEZER, CX_HIERARCHY_PIDS,
		CX_HIERARCHY_MEMORY, CX_HIERARCHY_CPU,
	};

	for (size_t i = 0; i < CX_COUNT(best); i++)
		if (group->fd[best[i]] >= 0)
			return kill_folder(best[i], group->fd[best[i]]);
	errno = ENOSYS;
	return -1;
}

int cx_cgroup_freeze(const struct cx_cgroup *group, bool frozen)
{
	if (group->fd[CX_HIERARCHY_UNIFIED] >= 0)
		return cx_knob_write(group->fd[CX_HIERARCHY_UNIFIED],
		                     "cgroup.freeze", frozen ? "1" : "0");
	if (group->fd[CX_HIERARCHY_FREEZER] >= 0)
		return cx_knob_write(group->fd[CX_HIERARCHY_FREEZER],
		                     "freezer.state",
		                     frozen ? "FROZEN" : "THAWED");
	errno = ENOSYS;
	return -1;
}

/* The last process's folder is free a moment after its death was seen: the
 * first looks are close together. */
static int remove_folder(int parent_fd, const char *name, int64_t until_us)
{
	int us = 20;

	while (unlinkat(parent_fd, name, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || cx_clock_mono_us() >= until_us)
			return -1;
		pause_us(us);
		us = us < 2000 ? us * 2 : us;
	}
	return 0;
}

int cx_cgroup_remove(struct cx_cgroup *group, int wait_ms)
{
	int64_t until_us = cx_clock_mono_us() + INT64_C(1000) * wait_ms;
	int status = 0;
	int sys = 0;

	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		if (group->fd[tree] < 0)
			continue;
		if (remove_folder(group->subtree->fd[tree], group->name,
		                  until_us) < 0) {
			status = -1;
			sys = errno;
		}
		cx_fd_close_at(&group->fd[tree]);
	}
	if (status < 0)
		errno = sys;
	return status;
}

static bool is_old(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > OLD_S;
}

/* Whether a living launcher has locked a group of that name in any tree: an OCI
 * runtime makes more of them than it has, in trees of its own choice. */
static bool is_held(const struct cx_subtree *subtree, const char *name)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		CX_AUTO_FD int fd = openat(subtree->fd[tree], name, O_RDONLY |
		                           O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
			return true;
	}
	return false;
}

static bool sweep_folder(enum cx_hierarchy_tree tree, int parent_fd,
                         const char *name, bool of_any_age)
{
	CX_AUTO_FD int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY |
	                           O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || (!of_any_age && !is_old(fd)) ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0 ||
	    !cx_roster_is(parent_fd, name, fd))
		return false;
	kill_folder(tree, fd);
	return remove_folder(parent_fd, name,
	                     cx_clock_mono_us() + SWEEP_WAIT_US) == 0;
}

static int sweep_tree(const struct cx_subtree *subtree,
                      enum cx_hierarchy_tree tree)
{
	int parent_fd = subtree->fd[tree];
	DIR *folder = cx_path_list(parent_fd);
	struct dirent *entry;
	int count = 0;

	if (!folder)
		return 0;
	while ((entry = readdir(folder)))
		if (cx_str_starts(entry->d_name, PREFIX) &&
		    !is_held(subtree, entry->d_name) &&
		    sweep_folder(tree, parent_fd, entry->d_name, false))
			count++;
	closedir(folder);
	return count;
}

int cx_cgroup_sweep(const struct cx_subtree *subtree, const char *id)
{
	char name[72];
	int count = 0;

	snprintf(name, sizeof name, PREFIX "%s", id ? id : "");
	for (int i = 0; i < CX_HIERARCHY_TREES; i++) {
		enum cx_hierarchy_tree tree = (enum cx_hierarchy_tree)i;

		if (subtree->fd[i] < 0)
			continue;
		if (id)
			count += sweep_folder(tree, subtree->fd[i], name, true);
		else
			count += sweep_tree(subtree, tree);
	}
	return count;
}
