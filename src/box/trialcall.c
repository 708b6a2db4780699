/* trialcall.c - see trialcall.h. */
#include "box/trialcall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "sys/caps.h"
#include "sys/landlock.h"
#include "sys/prjquota.h"
#include "sys/seccomp.h"

int cx_trialcall_clone3(const struct cx_trial_world *world,
                        struct cx_trial_outcome *outcome)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	long pid;

	(void)world;
	cx_trial_say(outcome, "clone3");
	pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0)
		_exit(0);
	if (cx_trial_check(outcome, pid) < 0)
		return -1;
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}

int cx_trialcall_close_range(const struct cx_trial_world *world,
                             struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "close_range",
	                   syscall(SYS_close_range, ~0U - 1, ~0U, 0U));
}

int cx_trialcall_openat2(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		           RESOLVE_NO_MAGICLINKS,
	};

	(void)world;
	return CX_TRIAL_DO(outcome, "openat2",
	                   syscall(SYS_openat2, AT_FDCWD, ".", &how,
	                           sizeof how));
}

int cx_trialcall_pidfd(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "pidfd_open",
	                   syscall(SYS_pidfd_open, getpid(), 0U));
}

int cx_trialcall_memfd(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "memfd_create",
	                   memfd_create("trial", MFD_CLOEXEC));
}

int cx_trialcall_affinity(const struct cx_trial_world *world,
                          struct cx_trial_outcome *outcome)
{
	cpu_set_t set;

	(void)world;
	if (CX_TRIAL_DO(outcome, "sched_getaffinity",
	                sched_getaffinity(0, sizeof set, &set)) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "sched_setaffinity",
	                   sched_setaffinity(0, sizeof set, &set));
}

static int give_up(const struct cx_trial_world *world,
                   struct cx_trial_outcome *outcome)
{
	(void)world;
	if (CX_TRIAL_DO(outcome, "prctl", cx_caps_no_new_privs()) < 0 ||
	    CX_TRIAL_DO(outcome, "capset", cx_caps_drop()) < 0)
		return -1;
	errno = EPERM;
	return CX_TRIAL_DO(outcome, "capset", cx_caps_none() ? 0 : -1);
}

int cx_trialcall_capabilities(const struct cx_trial_world *world,
                              struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, 0, give_up, outcome);
}

int cx_trialcall_seccomp(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome)
{
	(void)world;
	if (CX_TRIAL_DO(outcome, "prctl", cx_caps_no_new_privs()) < 0)
		return -1;
	return CX_TRIAL_DO(outcome, "seccomp",
	                   cx_seccomp_load(CX_SECCOMP_COMMAND));
}

int cx_trialcall_landlock(const struct cx_trial_world *world,
                          struct cx_trial_outcome *outcome)
{
	const struct cx_landlock_grant grant = { .path = "/" };
	int abi;

	(void)world;
	errno = 0;
	abi = cx_landlock_abi();
	if (abi > 0)
		snprintf(outcome->detail, sizeof outcome->detail, "ABI %d",
		         abi);
	else if (errno == 0)
		errno = EOPNOTSUPP;
	if (CX_TRIAL_DO(outcome, "landlock", abi > 0 ? 0 : -1) < 0 ||
	    CX_TRIAL_DO(outcome, "prctl", cx_caps_no_new_privs()) < 0)
		return -1;
	cx_trial_say(outcome, "landlock");
	abi = cx_landlock_enter(&grant, 1);
	if (abi == 0) {
		errno = EOPNOTSUPP; /* ABI 1 isn't used */
		abi = -1;
	}
	return cx_trial_check(outcome, abi);
}

/* The file system holds projects to their limits, and a file (it has no name)
 * may be given to one. */
int cx_trialcall_quota(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	CX_AUTO_FD int fd = openat(world->volume_fd, ".", O_TMPFILE | O_RDWR |
	                           O_CLOEXEC, 0600);
	struct fsxattr attribute;

	if (CX_TRIAL_DO(outcome, "open", fd) < 0)
		return -1;
	errno = EOPNOTSUPP;
	if (CX_TRIAL_DO(outcome, "quotactl_fd",
	                cx_prjquota_can(fd) ? 0 : -1) < 0 ||
	    CX_TRIAL_DO(outcome, "fsgetxattr",
	                ioctl(fd, FS_IOC_FSGETXATTR, &attribute)) < 0)
		return -1;
	attribute.fsx_projid = 1;
	return CX_TRIAL_DO(outcome, "fssetxattr",
	                   ioctl(fd, FS_IOC_FSSETXATTR, &attribute));
}
