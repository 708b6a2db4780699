/* subtree.c - see subtree.h. */
#include "sys/subtree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "sys/account.h"
#include "sys/knob.h"
#include "sys/limit.h"

static const struct {
	const char *controller;
	enum cx_limit limit;
	unsigned also; /* whether it holds is seen when it is written */
	enum cx_hierarchy_tree tree;
} control[] = {
	{ "memory", CX_LIMIT_MEMORY, CX_LIMIT_SWAP, CX_HIERARCHY_MEMORY },
	{ "pids", CX_LIMIT_PIDS, 0, CX_HIERARCHY_PIDS },
	{ "cpu", CX_LIMIT_CPU, 0, CX_HIERARCHY_CPU },
};

static int open_folder(int dir_fd, const char *path)
{
	return openat(dir_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC |
	              O_NOFOLLOW);
}

static int make_folder(int dir_fd, const char *name)
{
	int fd = open_folder(dir_fd, name);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdirat(dir_fd, name, 0755) < 0 && errno != EEXIST)
		return -1;
	return open_folder(dir_fd, name);
}

static bool may_write(int dir_fd, const char *name)
{
	return faccessat(dir_fd, name, W_OK, AT_EACCESS) == 0;
}

unsigned cx_subtree_uid(void)
{
	char text[256];
	unsigned inner;
	unsigned outer;

	if (geteuid() != 0 ||
	    cx_knob_read(AT_FDCWD, "/proc/self/uid_map", text,
	                 sizeof text) < 0 ||
	    sscanf(text, "%u %u", &inner, &outer) != 2 || inner != 0)
		return geteuid();
	return outer;
}

/* Root's own folder in one tree, else the one that root delegated to us. */
static int open_ours(int root_fd)
{
	CX_AUTO_FD int fd = -1;
	char path[32];

	if (geteuid() == 0) {
		fd = make_folder(root_fd, "cx");
		if (fd >= 0 && may_write(fd, "."))
			return cx_fd_take(&fd);
		cx_fd_close_at(&fd);
	}
	snprintf(path, sizeof path, "cx/u%u", cx_subtree_uid());
	fd = open_folder(root_fd, path);
	if (fd < 0 || !may_write(fd, "."))
		return -1;
	return cx_fd_take(&fd);
}

/* The folder above the one that we sit in, where all of it is the user's. */
static int open_above_self(int root_fd)
{
	char path[512];
	char *slash;
	CX_AUTO_FD int fd = -1;

	if (cx_hierarchy_self(path, sizeof path) < 0)
		return -1;
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	fd = open_folder(root_fd, path);
	if (fd < 0 || !may_write(fd, ".") || !may_write(fd, "cgroup.procs"))
		return -1;
	return cx_fd_take(&fd);
}

/* The limits whose controllers the groups in this v2 folder have. */
static unsigned read_controls(int fd)
{
	unsigned holds = 0;

	for (size_t i = 0; i < CX_COUNT(control); i++)
		if (cx_knob_has_word(fd, "cgroup.subtree_control",
		                     control[i].controller))
			holds |= (unsigned)control[i].limit | control[i].also;
	return holds;
}

/* Switches them on for what is below the folder; one that fails doesn't keep
 * the others off. */
static void write_controls(int fd)
{
	for (size_t i = 0; i < CX_COUNT(control); i++) {
		char text[32];

		snprintf(text, sizeof text, "+%s", control[i].controller);
		cx_knob_write(fd, "cgroup.subtree_control", text);
	}
}

static unsigned hold_v2(int root_fd, int fd)
{
	unsigned holds = read_controls(fd);

	if (holds == CX_LIMIT_ALL)
		return holds;
	if (may_write(root_fd, "cgroup.subtree_control"))
		write_controls(root_fd);
	write_controls(fd);
	return read_controls(fd);
}

static unsigned hold_v1(const struct cx_subtree *subtree)
{
	unsigned holds = 0;

	for (size_t i = 0; i < CX_COUNT(control); i++)
		if (subtree->fd[control[i].tree] >= 0)
			holds |= (unsigned)control[i].limit | control[i].also;
	return holds;
}

/* On v2 a process may be put in a folder only by who may write the folder
 * above both: root, or a user whose own launcher sits in the subtree. */
static int open_unified(int root_fd)
{
	if (root_fd >= 0 && geteuid() == 0 &&
	    may_write(root_fd, "cgroup.procs"))
		return open_ours(root_fd);
	return root_fd < 0 ? -1 : open_above_self(root_fd);
}

/* On the hybrid as well: a process that is there already can go into v1's
 * folders, but into v2's only at the price of a lock over all processes, or by
 * being born there. So a command's groups are made while it gets its root. The
 * kill is the pid namespace's, so v1's freezer isn't needed for it. */
static void open_v1(const struct cx_hierarchy *hierarchy,
                    struct cx_subtree *ret)
{
	for (int tree = CX_HIERARCHY_MEMORY; tree < CX_HIERARCHY_FREEZER;
	     tree++)
		if (hierarchy->fd[tree] >= 0)
			ret->fd[tree] = open_ours(hierarchy->fd[tree]);
}

void cx_subtree_find(struct cx_subtree *ret)
{
	struct cx_hierarchy hierarchy;
	int *unified = &ret->fd[CX_HIERARCHY_UNIFIED];

	cx_hierarchy_find(&hierarchy);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		ret->fd[tree] = -1;
	ret->v2 = hierarchy.v2;
	if (!hierarchy.v2) {
		open_v1(&hierarchy, ret);
		ret->holds = hold_v1(ret);
	} else {
		*unified = open_unified(hierarchy.fd[CX_HIERARCHY_UNIFIED]);
		ret->holds = *unified < 0 ? 0 :
			hold_v2(hierarchy.fd[CX_HIERARCHY_UNIFIED], *unified);
	}
	cx_hierarchy_done(&hierarchy);
}

void cx_subtree_done(struct cx_subtree *subtree)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		cx_fd_close_at(&subtree->fd[tree]);
}

static int find_user(const char *text, struct cx_account *ret,
                     struct cx_err *err)
{
	if (!cx_account_find(text, ret))
		return cx_err_set(err, CX_E_USAGE, "/etc/passwd has no user "
		                  "\"%.64s\"; a number will do as well", text);
	if (ret->uid == 0)
		return cx_err_set(err, CX_E_USAGE,
		                  "root needs nothing delegated");
	return 0;
}

static int give(int dir_fd, const char *const *name, size_t count,
                const struct cx_account *user)
{
	for (size_t i = 0; i < count; i++)
		if (fchownat(dir_fd, name[i], user->uid, user->gid,
		             AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
			return -1;
	return 0;
}

/* The user's folder in one tree; its limits stay root's. */
static int delegate_tree(int root_fd, enum cx_hierarchy_tree tree,
                         const struct cx_account *user, int *ret_fd,
                         struct cx_err *err)
{
	static const char *const file[] = {
		".", "cgroup.procs", "cgroup.threads",
		"cgroup.subtree_control",
	};
	CX_AUTO_FD int ours = make_folder(root_fd, "cx");
	CX_AUTO_FD int fd = -1;
	char name[24];

	snprintf(name, sizeof name, "u%u", (unsigned)user->uid);
	if (ours >= 0)
		fd = make_folder(ours, name);
	if (fd < 0 || give(fd, file, tree == CX_HIERARCHY_UNIFIED
	                   ? CX_COUNT(file) : 1, user) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "delegate the %s cgroup",
		                  cx_hierarchy_name(tree));
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

/* A number after "word:" in the status of a process; -1. */
static long read_status(pid_t pid, const char *word)
{
	char path[40];
	char text[4096];
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (cx_knob_read(AT_FDCWD, path, text, sizeof text) < 0)
		return -1;
	at = strstr(text, word);
	return at ? strtol(at + strlen(word), NULL, 10) : -1;
}

/* The nearest process above ours that is the user's; 0 when none is. */
static pid_t find_ancestor(uid_t uid)
{
	pid_t pid = getppid();

	while (pid > 1 && read_status(pid, "\nUid:") != (long)uid)
		pid = (pid_t)read_status(pid, "\nPPid:");
	return pid > 1 ? pid : 0;
}

/* What runs for the user sits in a folder of its own beside the groups, as v2
 * wants processes only where nothing is below. */
static int enter_login(int folder_fd, const struct cx_account *user,
                       pid_t enter, struct cx_err *err)
{
	static const char *const file[] = { ".", "cgroup.procs" };
	CX_AUTO_FD int fd = make_folder(folder_fd, "login");

	if (fd < 0 || give(fd, file, CX_COUNT(file), user) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make the login cgroup");
	if (enter > 0 && read_status(enter, "\nUid:") != (long)user->uid)
		return cx_err_set(err, CX_E_USAGE,
		                  "process %d isn't that user's", (int)enter);
	if (enter > 0 && cx_knob_write_number(fd, "cgroup.procs",
	                                      (uint64_t)enter) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "move process %d",
		                  (int)enter);
	return 0;
}

static int delegate_v2(int root_fd, const struct cx_account *user, pid_t enter,
                       struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	CX_AUTO_FD int ours = -1;

	if (delegate_tree(root_fd, CX_HIERARCHY_UNIFIED, user, &fd, err) < 0)
		return -1;
	ours = open_folder(root_fd, "cx");
	write_controls(root_fd);
	write_controls(ours);
	write_controls(fd);
	if (read_controls(fd) != CX_LIMIT_ALL)
		return cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
		                  "this machine's root cgroup doesn't have the "
		                  "memory, pids and cpu controllers to give");
	return enter_login(fd, user, enter, err);
}

static int delegate_v1(const struct cx_hierarchy *hierarchy,
                       const struct cx_account *user, struct cx_err *err)
{
	for (size_t i = 0; i < CX_COUNT(control); i++)
		if (hierarchy->fd[control[i].tree] < 0)
			return cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
			                  "the %s cgroup isn't mounted",
			                  control[i].controller);
	for (int tree = CX_HIERARCHY_MEMORY; tree < CX_HIERARCHY_TREES;
	     tree++) {
		CX_AUTO_FD int fd = -1;

		if (hierarchy->fd[tree] >= 0 &&
		    delegate_tree(hierarchy->fd[tree],
		                  (enum cx_hierarchy_tree)tree, user, &fd,
		                  err) < 0)
			return -1;
	}
	return 0;
}

int cx_subtree_delegate(const char *text, pid_t enter, struct cx_err *err)
{
	struct cx_hierarchy hierarchy;
	struct cx_account user;
	int status;

	if (geteuid() != 0)
		return cx_err_set(err, CX_E_USAGE, "only root can delegate: "
		                  "sudo cx-run delegate %.64s", text);
	if (find_user(text, &user, err) < 0)
		return -1;
	if (enter < 0)
		enter = find_ancestor(user.uid);
	cx_hierarchy_find(&hierarchy);
	if (hierarchy.v2)
		status = delegate_v2(hierarchy.fd[CX_HIERARCHY_UNIFIED], &user,
		                     enter, err);
	else
		status = delegate_v1(&hierarchy, &user, err);
	cx_hierarchy_done(&hierarchy);
	return status;
}
