/* fault.c - see fault.h. */
#include "box/fault.h"

#include <errno.h>

#include "base/count.h"

/* error 0 is any; the first that fits says what to do about it. */
static const struct {
	enum cx_step step;
	int error;
	enum cx_class code;
	const char *remedy;
} known[] = {
	{ CX_STEP_CLONE, EPERM, CX_E_ISOLATION_UNAVAILABLE,
	  "unprivileged user namespaces are refused on this machine: as root, "
	  "set the sysctls kernel.unprivileged_userns_clone=1 and "
	  "kernel.apparmor_restrict_unprivileged_userns=0 where they exist, or "
	  "run as root" },
	{ CX_STEP_CLONE, ENOSPC, CX_E_ISOLATION_UNAVAILABLE,
	  "no more namespaces may be made: raise the sysctls user.max_*_"
	  "namespaces, which are 0 inside a sandbox" },
	{ CX_STEP_CLONE, EUSERS, CX_E_ISOLATION_UNAVAILABLE,
	  "user namespaces are nested too deep here" },
	{ CX_STEP_CLONE, EAGAIN, CX_E_STORE_BUSY,
	  "the user's limit of processes is reached" },
	{ CX_STEP_BROKER, EPERM, CX_E_ISOLATION_UNAVAILABLE,
	  "a user namespace's map is refused: AppArmor's restriction of "
	  "unprivileged user namespaces does that; as root, set the sysctl "
	  "kernel.apparmor_restrict_unprivileged_userns=0" },
	{ CX_STEP_PRIVATE, 0, CX_E_ISOLATION_UNAVAILABLE,
	  "mounting is refused in a namespace of its own: a container's "
	  "seccomp or AppArmor profile does that" },
	{ CX_STEP_PROC, EPERM, CX_E_ISOLATION_UNAVAILABLE,
	  "a new /proc is refused, since this container's own has mounts over "
	  "it: run outside of it, or unmask its /proc" },
	{ CX_STEP_ROOT, EPERM, CX_E_ISOLATION_UNAVAILABLE,
	  "overlayfs in a user namespace needs Linux 5.11: run as root, or a "
	  "newer kernel" },
	{ CX_STEP_ROOT, ENODEV, CX_E_ISOLATION_UNAVAILABLE,
	  "this kernel has no overlayfs: as root, modprobe overlay" },
	{ CX_STEP_NETWORK, ENOTUNIQ, CX_E_NETWORK_NOT_ISOLATED,
	  "something else than loopback is up in a new network namespace" },
	{ CX_STEP_PORTAL, ENOTUNIQ, CX_E_NETWORK_NOT_ISOLATED,
	  "something else than loopback is up in a new network namespace" },
	{ CX_STEP_PORTAL, 0, CX_E_ISOLATION_UNAVAILABLE,
	  "the way to the gateway couldn't be opened: cx-run ready --probe "
	  "names what refuses it" },
	{ CX_STEP_ALONE, ENOTUNIQ, CX_E_NETWORK_NOT_ISOLATED,
	  "something else than loopback is up in a new network namespace" },
	{ CX_STEP_MASK, EINVAL, CX_E_ISOLATION_UNAVAILABLE,
	  "a part of /proc isn't covered, though the runtime was told to" },
	{ CX_STEP_RUNTIME, 0, CX_E_ISOLATION_UNAVAILABLE,
	  "the runtime couldn't be started, or made no container of ours" },
	{ CX_STEP_FINISH, 0, CX_E_ISOLATION_UNAVAILABLE,
	  "the container that the runtime made isn't as it should be" },
	{ CX_STEP_CGROUP, EOPNOTSUPP, CX_E_QUOTA_UNENFORCEABLE,
	  "the kernel refused one of the limits for the command's group" },
	{ CX_STEP_CGROUP, EEXIST, CX_E_WORKER_ERROR,
	  "a command of this id runs already" },
	{ CX_STEP_EXEC, ENOENT, CX_E_WORKER_ERROR,
	  "the image has no /bin/bash" },
	{ CX_STEP_EXEC, E2BIG, CX_E_WORKER_ERROR,
	  "arguments and environment are over the kernel's limit: 128 KiB for "
	  "one argument, 2 MiB for all" },
	{ CX_STEP_CWD, 0, CX_E_WORKER_ERROR,
	  "run.cwd isn't a folder of the workspace that the command may enter; "
	  "links aren't followed" },
};

/* What a machine answers that refuses or lacks a mechanism. */
static enum cx_class general_class(enum cx_step step, int error)
{
	if (cx_step_place(step) == CX_STEP_COMMAND && step != CX_STEP_SECCOMP &&
	    step != CX_STEP_LANDLOCK)
		return CX_E_WORKER_ERROR;
	if (error == EPERM || error == EACCES || error == ENOSYS ||
	    error == EINVAL || error == ENODEV || error == EROFS ||
	    error == EOPNOTSUPP)
		return CX_E_ISOLATION_UNAVAILABLE;
	return CX_E_WORKER_ERROR;
}

int cx_fault_explain(enum cx_step step, int error, struct cx_err *err)
{
	enum cx_class code = general_class(step, error);
	const char *remedy = NULL;

	for (size_t i = 0; i < CX_COUNT(known) && !remedy; i++)
		if (known[i].step == step &&
		    (known[i].error == 0 || known[i].error == error)) {
			code = known[i].code;
			remedy = known[i].remedy;
		}
	errno = error;
	cx_err_sys(err, code, "step %s%s%s%s", cx_step_name(step),
	           remedy ? " (" : "", remedy ? remedy : "", remedy ? ")" : "");
	return -1;
}
