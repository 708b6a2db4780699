/* usage.c - see usage.h. */
#include "sys/usage.h"

#include "base/num.h"
#include "sys/knob.h"

/* v2 counts CPU time in every folder, with or without its controllers. */
int64_t cx_usage_cpu_us(const struct cx_cgroup *group)
{
	int64_t ns;

	if (group->fd[CX_HIERARCHY_UNIFIED] >= 0)
		return cx_knob_field(group->fd[CX_HIERARCHY_UNIFIED],
		                     "cpu.stat", "usage_usec");
	if (group->fd[CX_HIERARCHY_CPUACCT] >= 0)
		ns = cx_knob_number(group->fd[CX_HIERARCHY_CPUACCT],
		                    "cpuacct.usage");
	else
		ns = cx_knob_number(group->fd[CX_HIERARCHY_CPU],
		                    "cpuacct.usage");
	return ns < 0 ? -1 : ns / 1000;
}

int64_t cx_usage_oom_kills(const struct cx_cgroup *group)
{
	if (group->subtree->v2)
		return cx_knob_field(group->fd[CX_HIERARCHY_UNIFIED],
		                     "memory.events", "oom_kill");
	return cx_knob_field(group->fd[CX_HIERARCHY_MEMORY],
	                     "memory.oom_control", "oom_kill");
}

static void read_v2(int fd, struct cx_usage *ret)
{
	ret->memory_peak_bytes = cx_knob_number(fd, "memory.peak");
	ret->pids_peak = cx_knob_number(fd, "pids.peak");
	ret->pids_hits = cx_knob_field(fd, "pids.events", "max");
}

static void read_v1(const struct cx_cgroup *group, struct cx_usage *ret)
{
	int pids = group->fd[CX_HIERARCHY_PIDS];

	ret->memory_peak_bytes = cx_knob_number(group->fd[CX_HIERARCHY_MEMORY],
	                                        "memory.max_usage_in_bytes");
	ret->pids_peak = cx_knob_number(pids, "pids.peak");
	ret->pids_hits = cx_knob_field(pids, "pids.events", "max");
}

void cx_usage_read(const struct cx_cgroup *group, struct cx_usage *ret)
{
	ret->cpu_us = cx_usage_cpu_us(group);
	ret->oom_kills = cx_usage_oom_kills(group);
	if (group->subtree->v2)
		read_v2(group->fd[CX_HIERARCHY_UNIFIED], ret);
	else
		read_v1(group, ret);
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
