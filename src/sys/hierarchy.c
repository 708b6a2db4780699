/* hierarchy.c - see hierarchy.h. */
#include "sys/hierarchy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/mem.h"

static const struct {
	const char *name;
	const char *path[2];
	long magic;
} place[CX_HIERARCHY_TREES] = {
	[CX_HIERARCHY_UNIFIED] = { "unified",
		{ "/sys/fs/cgroup", "/sys/fs/cgroup/unified" },
		CGROUP2_SUPER_MAGIC },
	[CX_HIERARCHY_MEMORY] = { "memory",
		{ "/sys/fs/cgroup/memory" }, CGROUP_SUPER_MAGIC },
	[CX_HIERARCHY_PIDS] = { "pids",
		{ "/sys/fs/cgroup/pids" }, CGROUP_SUPER_MAGIC },
	[CX_HIERARCHY_CPU] = { "cpu",
		{ "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" },
		CGROUP_SUPER_MAGIC },
	[CX_HIERARCHY_CPUACCT] = { "cpuacct",
		{ "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct" },
		CGROUP_SUPER_MAGIC },
	[CX_HIERARCHY_FREEZER] = { "freezer",
		{ "/sys/fs/cgroup/freezer" }, CGROUP_SUPER_MAGIC },
};

const char *cx_hierarchy_name(enum cx_hierarchy_tree tree)
{
	return place[tree].name;
}

static int open_root(const char *path, enum cx_hierarchy_tree tree)
{
	CX_AUTO_FD int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 ||
	    (long)fs.f_type != place[tree].magic)
		return -1;
	return cx_fd_take(&fd);
}

static void clear(struct cx_hierarchy *hierarchy)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		hierarchy->fd[tree] = -1;
	hierarchy->v2 = false;
}

/* cpu and cpuacct are mostly one mount under two names. */
static void merge_cpuacct(struct cx_hierarchy *hierarchy)
{
	struct stat cpu;
	struct stat cpuacct;

	if (hierarchy->fd[CX_HIERARCHY_CPU] < 0 ||
	    hierarchy->fd[CX_HIERARCHY_CPUACCT] < 0 ||
	    fstat(hierarchy->fd[CX_HIERARCHY_CPU], &cpu) < 0 ||
	    fstat(hierarchy->fd[CX_HIERARCHY_CPUACCT], &cpuacct) < 0)
		return;
	if (cpu.st_dev == cpuacct.st_dev)
		cx_fd_close_at(&hierarchy->fd[CX_HIERARCHY_CPUACCT]);
}

static bool find_usual(struct cx_hierarchy *ret)
{
	bool found = false;

	for (int tree = 0; tree < CX_HIERARCHY_TREES && !ret->v2; tree++) {
		for (int i = 0; i < 2 && ret->fd[tree] < 0; i++) {
			if (!place[tree].path[i])
				break;
			ret->fd[tree] = open_root(place[tree].path[i],
			                          (enum cx_hierarchy_tree)tree);
			ret->v2 = ret->v2 ||
			          (tree == CX_HIERARCHY_UNIFIED && i == 0 &&
			           ret->fd[tree] >= 0);
		}
		found = found || ret->fd[tree] >= 0;
	}
	return found;
}

void cx_hierarchy_find(struct cx_hierarchy *ret)
{
	clear(ret);
	if (find_usual(ret))
		merge_cpuacct(ret);
	else
		cx_hierarchy_read(AT_FDCWD, "/proc/self/mountinfo", ret);
}

/* The word'th (from 0) word of the line, spaces between; "" when missing. */
static void take_word(const char *line, int word, char *ret, size_t size)
{
	size_t span;

	for (; word > 0 && *line; word--) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	span = strcspn(line, " ");
	snprintf(ret, size, "%.*s", (int)(span < size ? span : 0), line);
}

static bool has_option(const char *options, const char *word)
{
	size_t length = strlen(word);

	while (*options) {
		size_t span = strcspn(options, ",");

		if (span == length && memcmp(options, word, length) == 0)
			return true;
		options += span + (options[span] == ',');
	}
	return false;
}

/*
 * "36 35 98:0 /root /mount rw,noatime shared:1 - type source superoptions":
 * the words after " - " are type, source, and for v1 the controllers.
 */
static void take_line(const char *line, struct cx_hierarchy *ret)
{
	const char *rest = strstr(line, " - ");
	char mount[256];
	char type[16];
	char options[256];

	if (!rest)
		return;
	take_word(rest + 3, 0, type, sizeof type);
	take_word(rest + 3, 2, options, sizeof options);
	take_word(line, 4, mount, sizeof mount);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		bool same = tree == CX_HIERARCHY_UNIFIED
			? strcmp(type, "cgroup2") == 0
			: strcmp(type, "cgroup") == 0 &&
			  has_option(options, place[tree].name);

		if (same && ret->fd[tree] < 0)
			ret->fd[tree] = open_root(mount,
			                          (enum cx_hierarchy_tree)tree);
	}
}

void cx_hierarchy_read(int dir_fd, const char *mountinfo,
                       struct cx_hierarchy *ret)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err unread;
	bool v1 = false;

	clear(ret);
	if (cx_fd_load(dir_fd, mountinfo, 16 << 20, &text, &unread) < 0)
		return;
	for (char *line = text.data; line; ) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		take_line(line, ret);
		line = end ? end + 1 : NULL;
	}
	merge_cpuacct(ret);
	for (int tree = CX_HIERARCHY_MEMORY; tree < CX_HIERARCHY_TREES; tree++)
		v1 = v1 || ret->fd[tree] >= 0;
	ret->v2 = ret->fd[CX_HIERARCHY_UNIFIED] >= 0 && !v1;
}

void cx_hierarchy_done(struct cx_hierarchy *hierarchy)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		cx_fd_close_at(&hierarchy->fd[tree]);
}

int cx_hierarchy_self(char *ret, size_t size)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err unread;
	const char *at;
	size_t length;

	if (cx_fd_load(AT_FDCWD, "/proc/self/cgroup", 65536, &text,
	               &unread) < 0 || !text.data)
		return -1;
	at = strncmp(text.data, "0::/", 4) == 0 ? text.data
	                                        : strstr(text.data, "\n0::/");
	if (!at)
		return -1;
	at = strchr(at, '/') + 1;
	length = strcspn(at, "\n");
	if (length >= size || strncmp(at, "..", 2) == 0)
		return -1;
	memcpy(ret, at, length);
	ret[length] = '\0';
	return 0;
}
