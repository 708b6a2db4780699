/* quota.c - see quota.h. */
#include "model/quota.h"

#include <string.h>

static const char *const name[CX_QUOTA_LIMITS] = {
	[CX_QUOTA_CPU] = "cpu",
	[CX_QUOTA_MEMORY] = "memory",
	[CX_QUOTA_PIDS] = "pids",
	[CX_QUOTA_CPU_TIME] = "cpu_time",
	[CX_QUOTA_WALL] = "wall",
	[CX_QUOTA_OUTPUT] = "output",
	[CX_QUOTA_FILE_SIZE] = "file_size",
	[CX_QUOTA_WORKSPACE] = "workspace",
	[CX_QUOTA_TMP] = "tmp",
};

const char *const cx_quota_wall_word[CX_QUOTA_WALLS + 1] = {
	[CX_QUOTA_WALL_AUTO] = "auto",
	[CX_QUOTA_WALL_PROJECT] = "project",
	[CX_QUOTA_WALL_IMAGE] = "image",
	[CX_QUOTA_WALL_TMPFS] = "tmpfs",
	[CX_QUOTA_WALL_MEASURE] = "measure",
};

void cx_quota_default(struct cx_quota *ret)
{
	*ret = (struct cx_quota){
		.cpus_milli = 1000,
		.memory_bytes = 1ULL << 30,
		.pids = 256,
		.wall_ms = 120000,
		.grace_ms = 1000,
		.stdout_bytes = 1ULL << 20,
		.stderr_bytes = 1ULL << 20,
		.workspace_kib = 262144,
		.inodes = 200000,
		.tmp_bytes = 128ULL << 20,
		.on_output_cap = CX_QUOTA_CAP_KILL,
	};
}

const char *cx_quota_name(enum cx_quota_limit limit)
{
	return name[limit];
}

enum cx_quota_limit cx_quota_find(const char *text)
{
	unsigned at = 0;

	while (at < CX_QUOTA_LIMITS && strcmp(name[at], text) != 0)
		at++;
	return (enum cx_quota_limit)at;
}
