/* finish.c - see finish.h. */
#include "box/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include "base/fd.h"
#include "base/promise.h"
#include "box/passage.h"
#include "sys/clone.h"
#include "sys/mount.h"
#include "sys/netns.h"
#include "sys/procfs.h"

struct finish {
	pid_t init_pid;
	const struct cx_plan *plan;
	const struct cx_enter *enter;
	enum cx_step step;  /* where we are; NONE at the end */
	int error;
};

/* ENOTUNIQ stands for "there is more than loopback in it". */
static int look_at_network(int net_fd)
{
	bool alone = false;

	if (setns(net_fd, CLONE_NEWNET) < 0 || cx_netns_loopback() < 0 ||
	    cx_netns_look(&alone) < 0)
		return -1;
	if (CX_PROMISE(runtime_network_alone, alone))
		return 0;
	errno = ENOTUNIQ;
	return -1;
}

static int open_way(struct finish *finish)
{
	if (finish->enter->portal_fd < 0)
		return 0;
	finish->step = CX_STEP_PORTAL;
	return cx_passage_offer(finish->enter);
}

/* As root of the container's namespace, which only we can become. */
static int forbid_userns(int user_fd, int proc_fd)
{
	if (setns(user_fd, CLONE_NEWUSER) < 0)
		return -1;
	return cx_procfs_no_userns(proc_fd);
}

/* What is no mount of its own is EINVAL. */
static int restrict_masks(void)
{
	for (size_t i = 0; i < cx_procfs_mask_count; i++) {
		const struct cx_procfs_mask *mask = &cx_procfs_mask[i];
		char target[64];

		snprintf(target, sizeof target, "/proc/%s", mask->name);
		if (mask->for_root || access(target, F_OK) < 0)
			continue;
		if (cx_mount_restrict(target, CX_MOUNT_READ_ONLY |
		                      CX_MOUNT_NOSUID | CX_MOUNT_NOEXEC |
		                      (mask->is_folder ? CX_MOUNT_NODEV : 0U)))
			return -1;
	}
	return 0;
}

static int restrict_mount(const struct cx_plan_item *item)
{
	unsigned attributes = CX_MOUNT_NOSUID;

	if (item->step == CX_STEP_MASK)
		return restrict_masks();
	if (!item->target || item->step == CX_STEP_DEVICE ||
	    item->source == CX_SOURCE_LAYER)
		return 0;
	if (!item->writable)
		attributes |= CX_MOUNT_READ_ONLY;
	if (item->step != CX_STEP_DEV)
		attributes |= CX_MOUNT_NODEV;
	if (item->step == CX_STEP_DEV || item->step == CX_STEP_SHM ||
	    item->step == CX_STEP_PROC)
		attributes |= CX_MOUNT_NOEXEC;
	return cx_mount_restrict(item->target, attributes);
}

static int restrict_mounts(struct finish *finish, int mount_fd)
{
	finish->step = CX_STEP_FINISH;
	if (setns(mount_fd, CLONE_NEWNS) < 0)
		return -1;
	for (size_t i = 0; i < finish->plan->count; i++) {
		finish->step = finish->plan->item[i].step;
		if (!CX_PROMISE(runtime_mounts_held,
		                restrict_mount(&finish->plan->item[i]) == 0))
			return -1;
	}
	finish->step = CX_STEP_FINISH;
	return cx_mount_restrict("/run/cx", CX_MOUNT_READ_ONLY |
	                         CX_MOUNT_NOSUID | CX_MOUNT_NODEV);
}

/* Shares our memory and nothing else, so that it alone goes in there. */
static int work(void *context)
{
	struct finish *finish = context;
	int net_fd = cx_clone_namespace(finish->init_pid, "net");
	int user_fd = cx_clone_namespace(finish->init_pid, "user");
	int mount_fd = cx_clone_namespace(finish->init_pid, "mnt");
	int proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int done = -1;

	finish->step = CX_STEP_NETWORK;
	if (look_at_network(net_fd) == 0 && open_way(finish) == 0) {
		finish->step = CX_STEP_NO_USERNS;
		if (forbid_userns(user_fd, proc_fd) == 0)
			done = restrict_mounts(finish, mount_fd);
	}
	finish->error = done < 0 ? errno : 0;
	return cx_clone_end();
}

int cx_finish_make(pid_t init_pid, const struct cx_plan *plan,
                   const struct cx_enter *enter, enum cx_step *ret_step,
                   int *ret_errno)
{
	struct finish finish = { init_pid, plan, enter, CX_STEP_FINISH,
	                         ECHILD };
	char stack[32768] __attribute__((aligned(16), uninitialized));
	pid_t pid = cx_clone_vfork(work, &finish, stack, sizeof stack);

	if (pid < 0)
		finish.error = errno;
	else
		cx_clone_wait(pid);
	*ret_step = finish.step;
	*ret_errno = finish.error;
	return finish.error ? -1 : 0;
}
