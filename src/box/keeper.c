/* keeper.c - see keeper.h. */
#include "box/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "base/fd.h"
#include "sys/cgroup.h"
#include "sys/clone.h"
#include "sys/mount.h"
#include "sys/roster.h"
#include "sys/sieve.h"
#include "sys/signals.h"

enum {
	BUSY_WAIT_MS = 30 * 1000,
	SWEEPS_MAX = 500,
	SWEEP_PAUSE_NS = 10 * 1000 * 1000,
};

struct keeping {
	const struct cx_subtree *subtree;
	const struct cx_box *box;
	const char *path;
	int lifeline_fd, busy_fd; /* read ends */
	int ready_fd;             /* write end */
};

static int make_place(void)
{
	static const struct cx_mount_option option[] = {
		{ "source", "bundle" }, { "mode", "0755" },
		{ "size", "64m" }, { NULL, NULL },
	};

	if (unshare(CLONE_NEWNS) < 0 || cx_mount_private() < 0)
		return -1;
	return cx_mount_new("tmpfs", option, CX_MOUNT_NOSUID | CX_MOUNT_NODEV,
	                    CX_KEEPER_BUNDLE);
}

/* Its streams are pipes: crun changes the owner of what it gets. */
static _Noreturn void be_runtime(const char *path, const char *id)
{
	static const char state[] = CX_KEEPER_STATE;
	const char *const argv[] = {
		path, "--root", state, "delete", "--force", id, NULL,
	};
	char *const none[] = { NULL };
	int keep[] = { 0, 1, 2 };
	int end[2];

	if (pipe(end) == 0 && dup2(end[0], 0) == 0 && dup2(end[1], 1) == 1 &&
	    dup2(end[1], 2) == 2 && cx_sieve_keep(keep, 3) == 0 &&
	    cx_signals_default() == 0 && cx_signals_unblock() == 0)
		execve(path, (char *const *)(uintptr_t)argv, none);
	_exit(127);
}

static int delete(const struct keeping *keeping)
{
	pid_t pid = cx_clone_fork(0, -1);

	if (pid == 0)
		be_runtime(keeping->path, keeping->box->id);
	return pid < 0 ? -1 : cx_clone_wait(pid);
}

/* The launcher died. Whoever was making the container has to be gone before
 * it can be deleted for good. */
static void clean(const struct keeping *keeping)
{
	const struct timespec pause_for = { .tv_nsec = SWEEP_PAUSE_NS };
	struct pollfd busy = { keeping->busy_fd, 0, 0 };

	poll(&busy, 1, BUSY_WAIT_MS);
	for (int i = 0; i < SWEEPS_MAX; i++) {
		int status = delete(keeping);

		cx_cgroup_sweep(keeping->subtree, keeping->box->id);
		if (status == 0 &&
		    !cx_roster_has(keeping->subtree, keeping->box->id))
			return;
		nanosleep(&pause_for, NULL);
	}
}

static void work(const struct keeping *keeping)
{
	const struct cx_box_hooks *hooks = &keeping->box->hooks;
	int keep[CX_HIERARCHY_TREES + 3 + CX_BOX_HOLD_MAX];
	sigset_t all;
	char word;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	memcpy(keep, keeping->subtree->fd, sizeof keeping->subtree->fd);
	keep[CX_HIERARCHY_TREES] = keeping->lifeline_fd;
	keep[CX_HIERARCHY_TREES + 1] = keeping->busy_fd;
	keep[CX_HIERARCHY_TREES + 2] = keeping->ready_fd;
	memcpy(keep + CX_HIERARCHY_TREES + 3, hooks->hold_fd,
	       sizeof hooks->hold_fd);
	if (cx_sieve_keep(keep, sizeof keep / sizeof keep[0]) < 0)
		return;
	error = make_place() < 0 ? errno : 0;
	cx_fd_write(keeping->ready_fd, &error, sizeof error);
	close(keeping->ready_fd);
	if (error)
		return;
	if (cx_fd_read(keeping->lifeline_fd, &word, 1) == 1) {
		delete(keeping);
		return;
	}
	clean(keeping);
	if (hooks->orphaned)
		hooks->orphaned(hooks->context);
}

static int wait_until_ready(int ready_fd)
{
	int error = ECONNRESET;

	cx_fd_read(ready_fd, &error, sizeof error);
	errno = error;
	return error ? -1 : 0;
}

int cx_keeper_start(const struct cx_subtree *subtree, const struct cx_box *box,
                    const char *path, struct cx_keeper *ret)
{
	int lifeline[2] = { -1, -1 }, busy[2] = { -1, -1 };
	int ready[2] = { -1, -1 };
	int status;
	pid_t pid = -1;

	if (pipe2(lifeline, O_CLOEXEC) == 0 && pipe2(busy, O_CLOEXEC) == 0 &&
	    pipe2(ready, O_CLOEXEC) == 0)
		pid = cx_clone_fork(0, -1);
	if (pid == 0) {
		const struct keeping keeping = {
			subtree, box, path, lifeline[0], busy[0], ready[1],
		};

		work(&keeping);
		_exit(0);
	}
	cx_fd_close_at(&lifeline[0]);
	cx_fd_close_at(&busy[0]);
	cx_fd_close_at(&ready[1]);
	*ret = (struct cx_keeper){ pid < 0 ? 0 : pid, lifeline[1], busy[1] };
	status = pid < 0 ? -1 : wait_until_ready(ready[0]);
	close(ready[0]);
	return status;
}

int cx_keeper_open(const struct cx_keeper *keeper, const char *name)
{
	char path[96];

	snprintf(path, sizeof path, "/proc/%d/root" CX_KEEPER_BUNDLE "/%s",
	         (int)keeper->pid, name);
	return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

void cx_keeper_dismiss(struct cx_keeper *keeper)
{
	cx_fd_close_at(&keeper->busy_fd);
	if (keeper->lifeline_fd >= 0)
		cx_fd_write(keeper->lifeline_fd, "d", 1);
	cx_fd_close_at(&keeper->lifeline_fd);
	if (keeper->pid != 0)
		cx_clone_wait(keeper->pid);
	keeper->pid = 0;
}
