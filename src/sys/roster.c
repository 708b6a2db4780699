/* roster.c - see roster.h. */
#include "sys/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "sys/cgroup.h"
#include "sys/knob.h"

enum { PAUSE_NS = 60 * 1000 };

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
