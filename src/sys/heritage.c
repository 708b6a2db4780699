/* heritage.c - see heritage.h. */
#include "sys/heritage.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/syscall.h>

#include "base/fd.h"

static int drop_class(void)
{
	const struct sched_param ordinary = { 0 };
	long now = syscall(SYS_sched_getscheduler, 0);

	if (now == SCHED_OTHER || now == SCHED_BATCH || now == SCHED_IDLE)
		return 0;
	return (int)syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &ordinary);
}

/* One that was raised, so that it goes first, it may keep. */
static int drop_exemption(int proc_fd)
{
	char text[16];
	CX_AUTO_FD int fd = openat(proc_fd, "self/oom_score_adj",
	                           O_RDWR | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

	if (n <= 0)
		return -1;
	return text[0] == '-' ? cx_fd_write(fd, "0", 1) : 0;
}

int cx_heritage_drop(int proc_fd)
{
	if (drop_class() < 0 || drop_exemption(proc_fd) < 0)
		return -1;
	return personality(PER_LINUX) < 0 ? -1 : 0;
}
