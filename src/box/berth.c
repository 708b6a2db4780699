/* berth.c - see berth.h. */
#include "box/berth.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"

enum { REMOVE_WAIT_MS = 2000 };

int cx_berth_use(struct cx_guard *guard, struct cx_outside *outside)
{
	if (cx_guard_refill(guard) < 0)
		return -1;
	if (!cx_sweeper_lives(&guard->sweeper)) {
		errno = ECONNRESET;
		return -1;
	}
	guard->berth.used = true;
	guard->berth.opened = outside->box->portal.hand_over != NULL;
	outside->enter.network_fd = guard->berth.network_fd;
	return 0;
}

bool cx_berth_fits(struct cx_guard *guard, const struct cx_enter *enter)
{
	struct cx_guard_berth *berth = &guard->berth;

	if (berth->userns_fd >= 0 && berth->outer_uid == enter->outer_uid &&
	    berth->outer_gid == enter->outer_gid)
		return true;
	cx_fd_close_at(&berth->userns_fd);
	berth->outer_uid = enter->outer_uid;
	berth->outer_gid = enter->outer_gid;
	return false;
}

int cx_berth_share(struct cx_guard *guard, struct cx_enter *enter)
{
	enter->userns_fd = fcntl(guard->berth.userns_fd, F_DUPFD_CLOEXEC, 3);
	return enter->userns_fd < 0 ? -1 : 0;
}

static bool is_as(const struct cx_guard_berth *berth,
                  const struct cx_subtree *subtree,
                  const struct cx_cgroup_limits *limits)
{
	return memcmp(berth->of_group.fd, subtree->fd, sizeof subtree->fd) ==
	       0 && memcmp(&berth->limits, limits, sizeof *limits) == 0;
}

bool cx_berth_group(struct cx_outside *outside,
                    const struct cx_cgroup_limits *limits)
{
	struct cx_guard *guard = outside->box->guard;
	struct cx_guard_berth *berth;
	bool fits;

	if (!cx_guard_is_standing(guard))
		return false;
	berth = &guard->berth;
	fits = berth->has_group && is_as(berth, &outside->of_group, limits);
	if (fits)
		outside->group = berth->group;
	else if (berth->has_group)
		cx_cgroup_remove(&berth->group, REMOVE_WAIT_MS);
	berth->has_group = false;
	berth->limits = *limits;
	berth->of_group = outside->of_group;
	return fits;
}
