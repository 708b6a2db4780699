/* trial.c - see trial.h. */
#include "box/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/count.h"
#include "base/fd.h"
#include "box/trialcall.h"
#include "box/trialgroup.h"
#include "box/trialpath.h"
#include "box/trialspace.h"
#include "sys/clone.h"
#include "sys/idmap.h"

enum { SECONDS = 5 };

#define TRIAL(name_, need_, who_, since_, perform_, about_) \
	{ .name = name_, .need = CX_TRIAL_##need_, .who = CX_TRIAL_##who_, \
	  .since = since_, .perform = perform_, .about = about_ }
#define LIMIT(name_, limit_, perform_, about_) \
	{ .name = name_, .need = CX_TRIAL_LIMIT, .limit = limit_, \
	  .perform = perform_, .about = about_ }
#define LINUX CX_TRIAL_LINUX

/* In the order in which a sandbox is made. */
const struct cx_trial cx_trial_table[] = {
	TRIAL("user_namespace", REQUIRED, ALL, 0, cx_trialspace_user,
	      "a user namespace with one user in it"),
	TRIAL("last_user_namespace", REQUIRED, ROOTLESS, 0,
	      cx_trialspace_last_user, "a user namespace within the first"),
	TRIAL("mount_namespace", REQUIRED, ALL, 0, cx_trialspace_mnt,
	      "mounts of its own"),
	TRIAL("pid_namespace", REQUIRED, ALL, 0, cx_trialspace_pid,
	      "processes of its own"),
	TRIAL("ipc_namespace", REQUIRED, ALL, 0, cx_trialspace_ipc,
	      "System V and POSIX queues of its own"),
	TRIAL("uts_namespace", REQUIRED, ALL, 0, cx_trialspace_uts,
	      "a host name of its own"),
	TRIAL("network_namespace", REQUIRED, ALL, 0, cx_trialspace_net,
	      "a network with loopback and nothing else"),
	TRIAL("any_address_route", OPTIONAL, ALL, 0, cx_trialpath_route,
	      "every address brought to the gateway"),
	TRIAL("port_redirect", OPTIONAL, ALL, 0, cx_trialpath_redirect,
	      "every port brought to the gateway"),
	TRIAL("cgroup_namespace", REQUIRED, ALL, 0, cx_trialspace_cgroup,
	      "control group names of its own"),
	TRIAL("tmpfs", REQUIRED, ALL, 0, cx_trialspace_tmpfs,
	      "a file system in memory"),
	TRIAL("overlay", REQUIRED, ALL, LINUX(5, 11), cx_trialspace_overlay,
	      "layers as one root"),
	TRIAL("proc", REQUIRED, ALL, 0, cx_trialspace_proc,
	      "a /proc of its own"),
	TRIAL("bind_mount", REQUIRED, ALL, 0, cx_trialspace_bind,
	      "a file seen in another place"),
	TRIAL("device_node", REQUIRED, PRIVILEGED, 0, cx_trialspace_node,
	      "device nodes that no two sandboxes share"),
	TRIAL("pivot_root", REQUIRED, ALL, 0, cx_trialspace_pivot,
	      "the host's tree let go"),
	TRIAL("idmapped_mount", OPTIONAL, PRIVILEGED, LINUX(5, 12),
	      cx_trialspace_idmap,
	      "workspaces seen by a host uid of the session's own"),
	TRIAL("fsopen", OPTIONAL, ALL, LINUX(5, 2), cx_trialspace_fsopen,
	      "file systems made detached"),
	TRIAL("open_tree", OPTIONAL, ALL, LINUX(5, 2),
	      cx_trialspace_open_tree, "mounts copied by descriptor"),
	TRIAL("move_mount", REQUIRED, PRIVILEGED, LINUX(5, 2),
	      cx_trialspace_move_mount, "such copies attached"),
	TRIAL("move_mount", OPTIONAL, ROOTLESS, LINUX(5, 2),
	      cx_trialspace_move_mount, "such copies attached"),
	TRIAL("mount_setattr", OPTIONAL, ALL, LINUX(5, 12),
	      cx_trialspace_mount_setattr, "mounts restricted in one call"),
	LIMIT("memory_limit", CX_LIMIT_MEMORY, cx_trialgroup_memory,
	      "memory held by a control group"),
	LIMIT("swap_limit", CX_LIMIT_SWAP, cx_trialgroup_swap,
	      "no swap beside it"),
	LIMIT("pids_limit", CX_LIMIT_PIDS, cx_trialgroup_pids,
	      "processes counted"),
	LIMIT("cpu_limit", CX_LIMIT_CPU, cx_trialgroup_cpu,
	      "CPU time held by a control group"),
	TRIAL("cpu_affinity", REQUIRED, ALL, 0, cx_trialcall_affinity,
	      "as many CPUs as the limit gives"),
	TRIAL("capabilities", REQUIRED, ALL, 0, cx_trialcall_capabilities,
	      "all capabilities given up, and no_new_privs"),
	TRIAL("seccomp", REQUIRED, ALL, LINUX(3, 17), cx_trialcall_seccomp,
	      "the filter of system calls"),
	TRIAL("landlock", OPTIONAL, ALL, LINUX(5, 19), cx_trialcall_landlock,
	      "files restricted a second time"),
	TRIAL("clone3", OPTIONAL, ALL, LINUX(5, 3), cx_trialcall_clone3,
	      "processes born in their control group"),
	TRIAL("close_range", OPTIONAL, ALL, LINUX(5, 9),
	      cx_trialcall_close_range, "descriptors closed in one call"),
	TRIAL("openat2", OPTIONAL, ALL, LINUX(5, 6), cx_trialcall_openat2,
	      "paths opened below a folder in one call"),
	TRIAL("pidfd", OPTIONAL, ALL, LINUX(5, 3), cx_trialcall_pidfd,
	      "processes held by descriptor"),
	TRIAL("memfd", OPTIONAL, ALL, LINUX(3, 17), cx_trialcall_memfd,
	      "standard input in memory"),
	TRIAL("project_quota", OPTIONAL, PRIVILEGED, LINUX(5, 14),
	      cx_trialcall_quota, "the workspace's quota as a hard wall"),
};
const size_t cx_trial_count = CX_COUNT(cx_trial_table);

bool cx_trial_applies(const struct cx_trial *trial,
                      const struct cx_trial_world *world)
{
	return trial->who == CX_TRIAL_ALL ||
	       world->privileged == (trial->who == CX_TRIAL_PRIVILEGED);
}

void cx_trial_say(struct cx_trial_outcome *outcome, const char *call)
{
	snprintf(outcome->call, sizeof outcome->call, "%s", call);
}

int cx_trial_check(struct cx_trial_outcome *outcome, long result)
{
	if (result >= 0)
		return 0;
	outcome->sys = errno ? errno : EINVAL;
	return -1;
}

/* The end of a child that should have ended with 0. */
static int await(pid_t pid, struct cx_trial_outcome *outcome)
{
	int status = cx_clone_wait(pid);

	if (status >= 0 && WIFSIGNALED(status))
		outcome->signal = WTERMSIG(status);
	if (status == 0)
		return 0;
	if (outcome->sys == 0)
		outcome->sys = EIO;
	return -1;
}

static _Noreturn void perform(const struct cx_trial_world *world,
                              cx_trial_act *act,
                              struct cx_trial_outcome *outcome)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	_exit(act(world, outcome) < 0);
}

int cx_trial_inside(const struct cx_trial_world *world, uint64_t flags,
                    cx_trial_act *inside, struct cx_trial_outcome *outcome)
{
	const struct cx_idmap map = { geteuid(), geteuid(), getegid(),
	                              getegid() };
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t pid;

	if (!world->privileged)
		flags |= CLONE_NEWUSER;
	cx_trial_say(outcome, "clone");
	pid = cx_clone_fork(flags, -1);
	if (pid == 0 && !world->privileged &&
	    CX_TRIAL_DO(outcome, "uid_map", cx_idmap_self(fd, &map)) < 0)
		_exit(1);
	if (pid == 0)
		perform(world, inside, outcome);
	if (cx_trial_check(outcome, pid) < 0)
		return -1;
	return await(pid, outcome);
}

void cx_trial_run(const struct cx_trial *trial,
                  const struct cx_trial_world *world,
                  struct cx_trial_outcome *ret)
{
	struct cx_trial_outcome *shared = mmap(
		NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	*ret = (struct cx_trial_outcome){ .sys = ENOMEM, .call = "mmap" };
	if (shared == MAP_FAILED)
		return;
	cx_trial_say(shared, "clone");
	pid = cx_clone_fork(0, -1);
	if (pid == 0) {
		alarm(SECONDS);
		perform(world, trial->perform, shared);
	}
	if (cx_trial_check(shared, pid) == 0 && await(pid, shared) == 0)
		shared->sys = 0;
	*ret = *shared;
	munmap(shared, sizeof *shared);
}
