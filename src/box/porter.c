/* porter.c - see porter.h. */
#include "box/porter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include "base/fd.h"
#include "base/promise.h"
#include "sys/clone.h"
#include "sys/knob.h"
#include "sys/netns.h"

/* ENOTUNIQ stands for "there is more than loopback in it". errno is written
 * where something fails and nowhere else: init shares it, decides by it, and is
 * refused whenever this is. */
static int make(void)
{
	bool alone = false;

	if (!CX_PROMISE(network_is_new, unshare(CLONE_NEWNET) == 0))
		return -1;
	if (cx_netns_loopback() < 0 || cx_netns_look(&alone) < 0)
		return -1;
	if (alone)
		return 0;
	errno = ENOTUNIQ;
	return -1;
}

/* Without a descriptor it failed, whatever init made of errno. */
static int work(void *context)
{
	struct cx_porter *porter = context;
	int fd;

	cx_affinity_move(0, &porter->others);
	fd = make() < 0 ? -1 : open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	porter->error = fd < 0 ? errno : 0;
	porter->fd = fd;
	return cx_clone_end();
}

void cx_porter_start(struct cx_porter *porter, const struct cx_affinity *may)
{
	porter->fd = -1;
	porter->error = ECHILD;
	cx_affinity_others(may, &porter->others);
	porter->pid = cx_clone_beside(work, porter, porter->stack,
	                              sizeof porter->stack, CLONE_FILES);
	if (porter->pid < 0)
		porter->pid = 0;
	else
		cx_affinity_move(porter->pid, &porter->others);
}

static int take_over(struct cx_porter *porter)
{
	int status;

	if (cx_clone_wait(porter->pid) < 0)
		return -1;
	porter->pid = 0;
	if (porter->error || porter->fd < 0) {
		errno = porter->error ? porter->error : ECHILD;
		return -1;
	}
	status = setns(porter->fd, CLONE_NEWNET);
	cx_fd_close_at(&porter->fd);
	return status;
}

/* So that the command is PID 2; where the kernel can't, it is PID 3. */
static int free_number(int proc_fd)
{
	if (cx_knob_write(proc_fd, "sys/kernel/ns_last_pid", "1") == 0)
		return 0;
	return errno == ENOENT || errno == EACCES || errno == EPERM ||
	       errno == EROFS ? 0 : -1;
}

int cx_porter_enter(struct cx_porter *porter, int proc_fd)
{
	if (!porter->pid)
		return make();
	return take_over(porter) < 0 ? -1 : free_number(proc_fd);
}
