/* groupblock.c - see groupblock.h. */
#include "box/groupblock.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "sys/hierarchy.h"
#include "sys/subtree.h"

#define SAY(ret, ...) snprintf((ret)->what, sizeof (ret)->what, __VA_ARGS__)
#define HELP(ret, ...) \
	snprintf((ret)->remedy, sizeof (ret)->remedy, __VA_ARGS__)

static enum cx_hierarchy_tree tree_of(enum cx_limit limit, bool v2)
{
	if (v2)
		return CX_HIERARCHY_UNIFIED;
	switch (limit) {
	case CX_LIMIT_MEMORY:
	case CX_LIMIT_SWAP:
		return CX_HIERARCHY_MEMORY;
	case CX_LIMIT_PIDS:
		return CX_HIERARCHY_PIDS;
	case CX_LIMIT_CPU:
		return CX_HIERARCHY_CPU;
	case CX_LIMIT_ALL:
		break;
	}
	return CX_HIERARCHY_UNIFIED;
}

static bool has_any(const struct cx_hierarchy *hierarchy)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (hierarchy->fd[tree] >= 0)
			return true;
	return false;
}

static bool is_read_only(int fd)
{
	struct statvfs st;

	return fstatvfs(fd, &st) == 0 && (st.f_flag & ST_RDONLY);
}

static void find(const struct cx_hierarchy *hierarchy, enum cx_limit limit,
                 const struct cx_trial_outcome *outcome,
                 struct cx_blocker *ret)
{
	enum cx_hierarchy_tree tree = tree_of(limit, hierarchy->v2);
	const char *name = cx_limit_name(limit);

	if (!has_any(hierarchy)) {
		SAY(ret, "no control groups are mounted");
		HELP(ret, "as root: mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	} else if (hierarchy->fd[tree] < 0) {
		SAY(ret, "the %s controller isn't mounted, or the kernel was "
		    "started without it", cx_hierarchy_name(tree));
		HELP(ret, "as root: mount -t cgroup -o %s cgroup /sys/fs/"
		     "cgroup/%s", cx_hierarchy_name(tree),
		     cx_hierarchy_name(tree));
	} else if (is_read_only(hierarchy->fd[tree])) {
		SAY(ret, "the control groups are mounted read-only");
		HELP(ret, "remount them writable (docker run --privileged, "
		     "or --cgroupns=private with a writable /sys/fs/cgroup)");
	} else if (geteuid() != 0 || outcome->sys == ENOENT) {
		SAY(ret, "no control group is delegated to this user");
		HELP(ret, "as root, once after each start: cx-run delegate "
		     "%u", cx_subtree_uid());
	} else {
		SAY(ret, "%s: %s", outcome->call, strerror(outcome->sys));
		HELP(ret, "give the %s controller to the groups below cx",
		     name);
	}
}

void cx_groupblock_find(enum cx_limit limit,
                        const struct cx_trial_outcome *outcome,
                        struct cx_blocker *ret)
{
	struct cx_hierarchy hierarchy;
	size_t used;

	cx_hierarchy_find(&hierarchy);
	find(&hierarchy, limit, outcome, ret);
	cx_hierarchy_done(&hierarchy);
	used = strlen(ret->remedy);
	snprintf(ret->remedy + used, sizeof ret->remedy - used,
	         "; or do without: limits.best_effort: [%s]",
	         limit == CX_LIMIT_SWAP ? "memory" : cx_limit_name(limit));
}
