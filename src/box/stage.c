/* stage.c - see stage.h. */
#include "box/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "box/inner.h"
#include "box/ocispec.h"
#include "box/tree.h"
#include "sys/clone.h"
#include "sys/knob.h"
#include "sys/heritage.h"
#include "sys/mount.h"
#include "sys/sieve.h"
#include "sys/signals.h"

enum { RUNTIME_MS = 60 * 1000 };

struct word {
	enum cx_step step;
	int error;
};

static int close_others(const struct cx_stage *stage, int tell_fd)
{
	const struct cx_enter *enter = &stage->outside->enter;
	int keep[8 + CX_BOX_LAYERS_MAX];
	size_t count = 0;

	keep[count++] = tell_fd;
	keep[count++] = enter->control_fd;
	keep[count++] = enter->stream_fd[0];
	keep[count++] = enter->stream_fd[1];
	keep[count++] = enter->workspace_tree_fd;
	keep[count++] = enter->skills_tree_fd;
	keep[count++] = stage->keeper->busy_fd;
	for (size_t i = 0; i < enter->box->layer_count; i++)
		keep[count++] = enter->box->layer[i].fd;
	return cx_sieve_keep(keep, count);
}

/* On the hybrid the group's v2 folder has no limits and no runtime goes there:
 * so the container is born in it. */
static int enter_group(const struct cx_outside *outside)
{
	if (!outside->grouped || outside->subtree.v2 ||
	    outside->group.fd[CX_HIERARCHY_UNIFIED] < 0)
		return 0;
	return cx_knob_write(outside->group.fd[CX_HIERARCHY_UNIFIED],
	                     "cgroup.procs", "0");
}

static int enter_place(const struct cx_keeper *keeper)
{
	CX_AUTO_FD int fd = cx_clone_namespace(keeper->pid, "mnt");

	return fd < 0 ? -1 : setns(fd, CLONE_NEWNS);
}

/* Layers of several stores are gathered over /sys, and with it over the
 * bundle: so that is held, and what was gathered let go, which the overlay
 * doesn't mind. */
static int make_root(struct cx_enter *enter, const struct cx_plan_item *item)
{
	char target[48];
	CX_AUTO_FD int fd = open(CX_KEEPER_BUNDLE,
	                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || mkdirat(fd, "rootfs", 0755) < 0)
		return -1;
	if (enter->world.staged && cx_tree_stage(enter, item) < 0)
		return -1;
	snprintf(target, sizeof target, "/proc/self/fd/%d/rootfs", fd);
	if (cx_tree_root(enter, item) < 0 || cx_mount_move_here(target) < 0 ||
	    fchdir(fd) < 0)
		return -1;
	return enter->world.staged ? umount2("/sys", MNT_DETACH) : 0;
}

/* A folder of the plan's name, and the volume's own mount on it. */
static int attach(const struct cx_enter *enter,
                  const struct cx_plan_item *item)
{
	int tree_fd = item->step == CX_STEP_SKILLS ? enter->skills_tree_fd
	                                           : enter->workspace_tree_fd;

	if (tree_fd < 0) {
		errno = ENOSYS; /* open_tree, of Linux 5.2 */
		return -1;
	}
	if (mkdir(item->name, 0755) < 0)
		return -1;
	return cx_mount_attach(tree_fd, item->name);
}

static int make_dev(struct cx_enter *enter, const struct cx_plan_item *item)
{
	if (mkdir(CX_OCISPEC_DEV, 0755) < 0)
		return -1;
	return cx_tree_dev(enter, item);
}

static int seal_dev(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return cx_mount_restrict(CX_OCISPEC_DEV, CX_MOUNT_READ_ONLY);
}

static int put(const char *name, const void *data, size_t size, mode_t mode)
{
	CX_AUTO_FD int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                         mode);

	return fd < 0 ? -1 : cx_fd_write(fd, data, size);
}

static int write_bundle(const struct cx_stage *stage)
{
	const char *command = stage->outside->box->command;
	size_t size;
	const void *first = cx_inner_get(&size);

	if (mkdir(CX_OCISPEC_RUN, 0755) < 0 ||
	    put(CX_OCISPEC_RUN "/first", first, size, 0111) < 0 ||
	    put("config.json", stage->config, stage->config_size, 0600) < 0)
		return -1;
	if (!command || strlen(command) <= CX_BOX_ARGUMENT_MAX_BYTES)
		return 0;
	return put(CX_OCISPEC_RUN "/command", command, strlen(command), 0444);
}

/* The runtime would hand it on. */
static int drop_heritage(void)
{
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : cx_heritage_drop(fd);
}

static int build(const struct cx_stage *stage, enum cx_step *ret_step)
{
	struct cx_enter *enter = &stage->outside->enter;

	for (size_t i = 0; i < stage->plan->count; i++) {
		const struct cx_plan_item *item = &stage->plan->item[i];
		int done = 0;

		*ret_step = item->step;
		if (item->source == CX_SOURCE_MADE)
			done = make_root(enter, item);
		else if (item->step == CX_STEP_DEV)
			done = make_dev(enter, item);
		else if (item->step == CX_STEP_DEVICE)
			done = cx_tree_device(enter, item);
		else if (item->source == CX_SOURCE_VOLUME)
			done = attach(enter, item);
		else if (item->step == CX_STEP_SEAL)
			done = seal_dev(enter, item);
		else if (item->step == CX_STEP_BUNDLE)
			done = write_bundle(stage);
		else if (item->step == CX_STEP_HERITAGE)
			done = drop_heritage();
		if (done < 0)
			return -1;
	}
	return 0;
}

/* What a runtime needs of an environment is PATH, to find helpers. */
static int become_runtime(const struct cx_stage *stage)
{
	const struct cx_enter *enter = &stage->outside->enter;
	const char *const argv[] = {
		stage->path, "--root", CX_KEEPER_STATE, "--log",
		CX_KEEPER_BUNDLE "/log", "run", "--detach", "--bundle",
		CX_KEEPER_BUNDLE, "--pid-file", CX_KEEPER_BUNDLE "/"
		CX_STAGE_PID, stage->outside->box->id, NULL,
	};
	const char *const env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
		"/sbin:/bin", NULL,
	};
	union {
		const char *const *in;
		char *const *out;
	} pun_argv = { .in = argv }, pun_env = { .in = env };
	int from[] = { enter->control_fd, enter->stream_fd[0],
	               enter->stream_fd[1] };

	for (int i = 0; i < 3; i++)
		if ((from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3)) < 0)
			return -1;
	for (int i = 0; i < 3; i++)
		if (dup2(from[i], i) < 0)
			return -1;
	/* the one descriptor beyond its streams: its end is to be seen */
	if (fcntl(stage->keeper->busy_fd, F_SETFD, 0) < 0 ||
	    cx_signals_default() < 0 || cx_signals_unblock() < 0)
		return -1;
	umask(0022);
	return execve(stage->path, pun_argv.out, pun_env.out);
}

static _Noreturn void be_stage(const struct cx_stage *stage, int tell_fd)
{
	struct word word = { CX_STEP_RUNTIME, 0 };
	bool built = false;

	umask(0);
	if (enter_group(stage->outside) == 0 &&
	    close_others(stage, tell_fd) == 0 &&
	    enter_place(stage->keeper) == 0)
		built = build(stage, &word.step) == 0;
	if (built) {
		word.step = CX_STEP_RUNTIME;
		become_runtime(stage);
	}
	word.error = errno;
	cx_fd_write(tell_fd, &word, sizeof word);
	_exit(1);
}

/* As cx_clone_wait, but not for longer than a minute. */
static int wait_bounded(pid_t pid, struct word *word)
{
	CX_AUTO_FD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = { fd, POLLIN, 0 };

	/* without pidfds (before Linux 5.3) it is waited for as it comes */
	if (fd >= 0 && poll(&ended, 1, RUNTIME_MS) == 0) {
		kill(pid, SIGKILL);
		*word = (struct word){ CX_STEP_RUNTIME, ETIMEDOUT };
	}
	return cx_clone_wait(pid);
}

enum cx_step cx_stage_run(const struct cx_stage *stage, int *ret_errno)
{
	struct word word = { CX_STEP_NONE, 0 };
	int tell[2];
	int status;
	pid_t pid;

	if (pipe2(tell, O_CLOEXEC) < 0) {
		*ret_errno = errno;
		return CX_STEP_RUNTIME;
	}
	pid = cx_clone_fork(0, -1);
	if (pid == 0)
		be_stage(stage, tell[1]);
	close(tell[1]);
	if (pid < 0 || cx_fd_read(tell[0], &word, sizeof word) < 0)
		word = (struct word){ CX_STEP_RUNTIME, errno };
	close(tell[0]);
	status = pid < 0 ? -1 : wait_bounded(pid, &word);
	*ret_errno = word.error;
	if (word.step == CX_STEP_NONE && status != 0)
		word.step = CX_STEP_RUNTIME;
	return word.step;
}
