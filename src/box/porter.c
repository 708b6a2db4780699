/* porter.c - see porter.h. */
#include "box/porter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/fd.h"
#include "base/promise.h"
#include "sys/clone.h"
#include "sys/knob.h"
#include "sys/netns.h"

enum { PENDING = -2, PATIENCE_NS = 20 * 1000 * 1000 };

/* errno is written where something fails and nowhere else: init shares it,
 * decides by it, and is refused whenever this is. */
static int make(void)
{
	return CX_PROMISE(network_is_new, unshare(CLONE_NEWNET) == 0) ? 0 : -1;
}

/* ENOTUNIQ stands for "there is more than loopback in it". */
static int look(void)
{
	bool alone = false;

	if (cx_netns_loopback() < 0 || cx_netns_look(&alone) < 0)
		return -1;
	if (alone)
		return 0;
	errno = ENOTUNIQ;
	return -1;
}

/* Init may go on with the namespace while this looks at it. */
static int work(void *context)
{
	struct cx_porter *porter = context;
	int fd;

	cx_affinity_move(0, &porter->others);
	fd = make() < 0 ? -1 : open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		porter->error = errno;
	__atomic_store_n(&porter->fd, fd, __ATOMIC_RELEASE);
	syscall(SYS_futex, &porter->fd, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	if (fd >= 0)
		porter->error = look() < 0 ? errno : 0;
	return cx_clone_end();
}

void cx_porter_start(struct cx_porter *porter, const struct cx_affinity *may)
{
	porter->fd = PENDING;
	porter->error = ECHILD;
	cx_affinity_others(may, &porter->others);
	porter->pid = cx_clone_beside(work, porter, porter->stack,
	                              sizeof porter->stack, CLONE_FILES);
	if (porter->pid < 0)
		porter->pid = 0;
	else
		cx_affinity_move(porter->pid, &porter->others);
}

static int fd_of(const struct cx_porter *porter)
{
	return __atomic_load_n(&porter->fd, __ATOMIC_ACQUIRE);
}

/* Waits until it is there; or, where that can't be waited for, or takes long,
 * until the porter has ended. */
static int await_network(struct cx_porter *porter)
{
	const struct timespec patience = { .tv_nsec = PATIENCE_NS };
	bool waited;

	do
		waited = syscall(SYS_futex, &porter->fd, FUTEX_WAIT_PRIVATE,
		                 PENDING, &patience, NULL, 0) == 0 ||
		         errno == EAGAIN || errno == EINTR;
	while (waited && fd_of(porter) == PENDING);
	if (fd_of(porter) < 0 && cx_porter_end(porter) < 0)
		return -1;
	return fd_of(porter) < 0 ? -1 : 0;
}

/* So that the command is PID 2, once the porter has let go of that; where the
 * kernel can't, it is PID 3. */
static int free_number(int proc_fd)
{
	if (cx_knob_write(proc_fd, "sys/kernel/ns_last_pid", "1") == 0)
		return 0;
	return errno == ENOENT || errno == EACCES || errno == EPERM ||
	       errno == EROFS ? 0 : -1;
}

int cx_porter_enter(struct cx_porter *porter, int proc_fd)
{
	int status;

	if (!porter->pid)
		return make() < 0 ? -1 : look();
	if (await_network(porter) < 0)
		return -1;
	status = setns(porter->fd, CLONE_NEWNET);
	cx_fd_close_at(&porter->fd);
	return status < 0 ? -1 : free_number(proc_fd);
}

int cx_porter_end(struct cx_porter *porter)
{
	if (!porter->pid)
		return 0;
	if (cx_clone_wait(porter->pid) < 0)
		return -1;
	porter->pid = 0;
	errno = porter->error;
	return porter->error ? -1 : 0;
}
