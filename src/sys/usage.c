/* usage.c - see usage.h. */
#include "sys/usage.h"

#include <fcntl.h>

#include "base/fd.h"
#include "base/num.h"
#include "sys/knob.h"

static const struct {
	enum cx_hierarchy_tree tree;
	const char *v1, *v2; /* names */
} counter[CX_USAGE_FILES] = {
	/* v2 counts it in every folder, with or without its controllers */
	[CX_USAGE_CPU] = { CX_HIERARCHY_CPU, "cpuacct.usage", "cpu.stat" },
	[CX_USAGE_MEMORY] = { CX_HIERARCHY_MEMORY, "memory.max_usage_in_bytes",
	                      "memory.peak" },
	[CX_USAGE_OOM] = { CX_HIERARCHY_MEMORY, "memory.oom_control",
	                   "memory.events" },
	[CX_USAGE_PIDS] = { CX_HIERARCHY_PIDS, "pids.peak", "pids.peak" },
	[CX_USAGE_HITS] = { CX_HIERARCHY_PIDS, "pids.events", "pids.events" },
};

static int open_counter(const struct cx_cgroup *group, enum cx_usage_file which)
{
	enum cx_hierarchy_tree tree = counter[which].tree;

	if (group->subtree->v2)
		tree = CX_HIERARCHY_UNIFIED;
	else if (which == CX_USAGE_CPU && group->fd[CX_HIERARCHY_CPUACCT] >= 0)
		tree = CX_HIERARCHY_CPUACCT;
	if (group->fd[tree] < 0)
		return -1;
	return openat(group->fd[tree], group->subtree->v2 ? counter[which].v2
	                                                  : counter[which].v1,
	              O_RDONLY | O_CLOEXEC);
}

void cx_usage_open(const struct cx_cgroup *group, struct cx_usage_files *ret)
{
	ret->v2 = group->subtree->v2;
	for (int i = 0; i < CX_USAGE_FILES; i++)
		ret->fd[i] = open_counter(group, (enum cx_usage_file)i);
}

void cx_usage_done(struct cx_usage_files *files)
{
	for (int i = 0; i < CX_USAGE_FILES; i++)
		cx_fd_close_at(&files->fd[i]);
}

static int64_t read_cpu(int fd, bool v2)
{
	int64_t ns;

	if (v2)
		return cx_knob_field(fd, NULL, "usage_usec");
	ns = cx_knob_number(fd, NULL);
	return ns < 0 ? -1 : ns / 1000;
}

int64_t cx_usage_cpu_us(const struct cx_cgroup *group)
{
	CX_AUTO_FD int fd = open_counter(group, CX_USAGE_CPU);

	return read_cpu(fd, group->subtree->v2);
}

void cx_usage_read(const struct cx_usage_files *files, struct cx_usage *ret)
{
	const int *fd = files->fd;

	ret->cpu_us = read_cpu(fd[CX_USAGE_CPU], files->v2);
	ret->oom_kills = cx_knob_field(fd[CX_USAGE_OOM], NULL, "oom_kill");
	ret->memory_peak_bytes = cx_knob_number(fd[CX_USAGE_MEMORY], NULL);
	ret->pids_peak = cx_knob_number(fd[CX_USAGE_PIDS], NULL);
	ret->pids_hits = cx_knob_field(fd[CX_USAGE_HITS], NULL, "max");
}

int64_t cx_usage_throttled_us(const struct cx_cgroup *group)
{
	int64_t ns;

	if (group->subtree->v2)
		return cx_knob_field(group->fd[CX_HIERARCHY_UNIFIED],
		                     "cpu.stat", "throttled_usec");
	ns = cx_knob_field(group->fd[CX_HIERARCHY_CPU], "cpu.stat",
	                   "throttled_time");
	return ns < 0 ? -1 : ns / 1000;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", then "full ...". */
int64_t cx_usage_pressure_us(const struct cx_cgroup *group, const char *what)
{
	char name[32], text[256], *total, *end;
	uint64_t us;

	snprintf(name, sizeof name, "%s.pressure", what);
	if (!group->subtree->v2 ||
	    cx_knob_read(group->fd[CX_HIERARCHY_UNIFIED], name, text,
	                 sizeof text) < 0)
		return -1;
	total = strstr(text, "total=");
	if (!total)
		return -1;
	total += strlen("total=");
	end = strchr(total, '\n');
	if (end)
		*end = '\0';
	return cx_num_parse(total, 0, INT64_MAX, &us) ? (int64_t)us : -1;
}
