/* clone.c - see clone.h. */
#include "sys/clone.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Goes into the v2 folder by the slow way. */
static int enter_folder(int cgroup_fd)
{
	int fd = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "0", 1) != 1)
		return -1;
	return close(fd);
}

static pid_t fork_by_clone(uint64_t flags, int cgroup_fd)
{
	pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL,
	                           NULL, NULL);

	if (pid == 0 && cgroup_fd >= 0 && enter_folder(cgroup_fd) < 0)
		_exit(127);
	return pid;
}

pid_t cx_clone_fork(uint64_t flags, int cgroup_fd)
{
	struct clone_args args = { .flags = flags, .exit_signal = SIGCHLD };
	pid_t pid;

	if (cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (__u64)cgroup_fd;
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0 && (errno == ENOSYS || errno == E2BIG))
		return fork_by_clone(flags, cgroup_fd);
	return pid;
}

pid_t cx_clone_vfork(int (*enter)(void *context), void *context, char *stack,
                     size_t size)
{
	return clone(enter, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD,
	             context);
}

pid_t cx_clone_beside(int (*enter)(void *context), void *context, char *stack,
                      size_t size, uint64_t flags)
{
	return clone(enter, stack + size, CLONE_VM | (int)flags | SIGCHLD,
	             context);
}

__attribute__((no_sanitize("address"))) int cx_clone_end(void)
{
	_exit(0);
}

int cx_clone_namespace(pid_t pid, const char *name)
{
	char path[48];

	snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int cx_clone_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}
