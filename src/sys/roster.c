/* roster.c - see roster.h. */
#include "sys/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "sys/cgroup.h"
#include "sys/knob.h"

enum { PAUSE_NS = 60 * 1000, SWEEP_WAIT_US = 1000 * 1000 };

/* Whether the folder that fd stands for is still the one of that name. */
bool cx_roster_is(int parent_fd, const char *name, int fd)
{
	struct stat named;
	struct stat held;

	return fstat(fd, &held) == 0 &&
	       fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_ino == held.st_ino;
}

/* Locks the folder that was just made: 1, or 0 when a sweeper had it before,
 * or -1, errno. */
static int lock_folder(int parent_fd, const char *name, int *ret_fd)
{
	*ret_fd = openat(parent_fd, name,
	                 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (*ret_fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (flock(*ret_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : -1;
	errno = 0;
	if (cx_roster_is(parent_fd, name, *ret_fd))
		return 1;
	return errno == 0 || errno == ENOENT ? 0 : -1;
}

/*
 * Makes the folder and locks it. Between the two a sweeper may take it for a
 * dead launcher's: it then removes it, and once the name is free it is made
 * again. Nobody removes a folder whose lock isn't theirs, and by that no two
 * take each other's for the one that they saw.
 */
int cx_roster_make(int parent_fd, const char *name)
{
	int64_t until_us = cx_clock_mono_us() + SWEEP_WAIT_US;
	const struct timespec pause_for = { .tv_nsec = PAUSE_NS };
	bool swept = false;

	while (!swept || cx_clock_mono_us() < until_us) {
		CX_AUTO_FD int fd = -1;
		int locked;

		if (mkdirat(parent_fd, name, 0755) < 0) {
			if (errno != EEXIST || !swept)
				return -1;
			nanosleep(&pause_for, NULL);
			continue;
		}
		locked = lock_folder(parent_fd, name, &fd);
		if (locked > 0)
			return cx_fd_take(&fd);
		if (locked < 0) {
			int saved = errno;

			unlinkat(parent_fd, name, AT_REMOVEDIR);
			errno = saved;
			return -1;
		}
		swept = true;
	}
	errno = EBUSY;
	return -1;
}

bool cx_roster_has(const struct cx_subtree *subtree, const char *id)
{
	char name[72];

	snprintf(name, sizeof name, CX_CGROUP_PREFIX "%s", id);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (subtree->fd[tree] >= 0 &&
		    faccessat(subtree->fd[tree], name, F_OK, 0) == 0)
			return true;
	return false;
}

int cx_roster_join(const struct cx_subtree *subtree, const char *id)
{
	char path[80];

	snprintf(path, sizeof path, CX_CGROUP_PREFIX "%.64s/tasks", id);
	for (int tree = CX_HIERARCHY_MEMORY; tree < CX_HIERARCHY_TREES; tree++)
		if (subtree->fd[tree] >= 0 &&
		    cx_knob_write(subtree->fd[tree], path, "0") < 0)
			return -1;
	return 0;
}

/* A folder has a link for itself, one for its name, one for each below. */
bool cx_roster_has_others(const struct cx_subtree *subtree, const char *id)
{
	char name[72];

	snprintf(name, sizeof name, CX_CGROUP_PREFIX "%.64s", id);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		struct stat found;
		nlink_t own = 2;

		if (subtree->fd[tree] < 0 ||
		    fstat(subtree->fd[tree], &found) < 0)
			continue;
		if (faccessat(subtree->fd[tree], name, F_OK, 0) == 0)
			own++;
		if (found.st_nlink > own)
			return true;
	}
	return false;
}

static bool remove_one(int parent_fd, const char *name, int64_t until_us)
{
	const struct timespec pause_for = { .tv_nsec = PAUSE_NS };

	while (unlinkat(parent_fd, name, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return true;
		if (errno != EBUSY || cx_clock_mono_us() >= until_us)
			return false;
		nanosleep(&pause_for, NULL);
	}
	return true;
}

bool cx_roster_remove(const struct cx_subtree *subtree, const char *id,
                      int64_t wait_us)
{
	int64_t until_us = cx_clock_mono_us() + wait_us;
	bool all = true;
	char name[72];

	snprintf(name, sizeof name, CX_CGROUP_PREFIX "%.64s", id);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (subtree->fd[tree] >= 0 &&
		    !remove_one(subtree->fd[tree], name, until_us))
			all = false;
	return all;
}
