/* rlimit.c - see rlimit.h. */
#include "sys/rlimit.h"

#include <sys/resource.h>

#include "base/count.h"

/* Soft is the wanted one; hard is never raised: that needs a privilege which
 * may be gone, and what was inherited binds us too. */
static int lower(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now;
	struct rlimit to = { .rlim_cur = soft, .rlim_max = hard };

	if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return -1;
	if (to.rlim_max > now.rlim_max)
		to.rlim_max = now.rlim_max;
	if (to.rlim_cur > to.rlim_max)
		to.rlim_cur = to.rlim_max;
	if (to.rlim_cur == now.rlim_cur && to.rlim_max == now.rlim_max)
		return 0;
	return setrlimit((__rlimit_resource_t)resource, &to);
}

int cx_rlimit_apply(const struct cx_rlimits *limits)
{
	const struct {
		int resource;
		uint64_t soft;
		uint64_t hard; /* 0: leave both as inherited */
	} row[] = {
		{ RLIMIT_CORE, 1, 1 },
		{ RLIMIT_STACK, 8 << 20, RLIM_INFINITY },
		{ RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY },
		{ RLIMIT_DATA, RLIM_INFINITY, RLIM_INFINITY },
		{ RLIMIT_MEMLOCK, 8 << 20, 8 << 20 },
		{ RLIMIT_MSGQUEUE, 819200, 819200 },
		{ RLIMIT_FSIZE, limits->file_size_bytes,
		  limits->file_size_bytes },
		{ RLIMIT_NOFILE, limits->nofile_soft, limits->nofile_hard },
		{ RLIMIT_NPROC, limits->processes, limits->processes },
		/* SIGXCPU at the soft one; a second later SIGKILL */
		{ RLIMIT_CPU, limits->cpu_s,
		  limits->cpu_s ? limits->cpu_s + 1 : 0 },
	};

	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (row[i].hard &&
		    lower(row[i].resource, row[i].soft, row[i].hard) < 0)
			return -1;
	/* those whose limit is 0 */
	return lower(RLIMIT_RTPRIO, 0, 0) < 0 ? -1 : lower(RLIMIT_NICE, 0, 0);
}
