/* command.c - see command.h. */
#include "box/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "sys/affinity.h"
#include "sys/landlock.h"
#include "sys/rlimit.h"
#include "sys/seccomp.h"
#include "sys/sieve.h"
#include "sys/signals.h"

int cx_command_session(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)item;
	umask(enter->box->profile->umask);
	if (!CX_PROMISE(no_terminal, setsid() >= 0))
		return -1;
	return cx_signals_default();
}

/* The command's alone: init, on another CPU, is to see its end at once. */
int cx_command_rlimits(struct cx_enter *enter, const struct cx_plan_item *item)
{
	const struct cx_profile *profile = enter->box->profile;
	const struct cx_rlimits limits = {
		.file_size_bytes = profile->quota.file_size_bytes,
		.nofile_soft = profile->nofile_soft,
		.nofile_hard = profile->nofile_hard,
		.processes = enter->processes,
	};

	(void)item;
	if (cx_rlimit_apply(&limits) < 0)
		return -1;
	return cx_affinity_mirror(&enter->may_use,
	                          profile->quota.cpus_milli);
}

/* The machine's own /dev/null would be an inode that all sandboxes share. */
static int open_input(const struct cx_enter *enter)
{
	if (enter->box->stdin_fd >= 0)
		return fcntl(enter->box->stdin_fd, F_DUPFD_CLOEXEC, 3);
	return open("/dev/null", O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* First out of the way, since any of them may have a number below 3. */
int cx_command_streams(struct cx_enter *enter, const struct cx_plan_item *item)
{
	int keep[] = { 0, 1, 2 };
	int from[3];

	(void)item;
	from[0] = open_input(enter);
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			from[i] = enter->stream_fd[i - 1];
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3);
		if (from[i] < 0)
			return -1;
	}
	for (int i = 0; i < 3; i++)
		if (dup2(from[i], i) < 0)
			return -1;
	if (!CX_PROMISE(no_descriptor, cx_sieve_keep(keep, 3) == 0))
		return -1;
	return 0;
}

/* What stands in the workspace is the sandbox's: a link there could name any
 * folder as the one that was asked for, and recorded. */
int cx_command_cwd(struct cx_enter *enter, const struct cx_plan_item *item)
{
	static const char workspace[] = "/workspace";
	const char *below = enter->box->profile->cwd + strlen(workspace);
	CX_AUTO_FD int top = open(workspace, O_PATH | O_DIRECTORY |
	                          O_NOFOLLOW | O_CLOEXEC);
	CX_AUTO_FD int folder = -1;

	(void)item;
	if (top < 0 || *below == '\0')
		return top < 0 ? -1 : fchdir(top);
	folder = cx_path_open(top, below + 1, O_PATH | O_DIRECTORY, 0);
	return folder < 0 ? -1 : fchdir(folder);
}

int cx_command_landlock(struct cx_enter *enter,
                        const struct cx_plan_item *item)
{
	static const struct cx_landlock_grant grant[] = {
		{ "/", CX_LANDLOCK_READ, false },
		{ "/dev", CX_LANDLOCK_DEVICE, false },
		{ "/dev/shm", CX_LANDLOCK_WRITE, false },
		{ "/tmp", CX_LANDLOCK_WRITE, false },
		{ "/workspace", CX_LANDLOCK_WRITE, false },
	};

	(void)item;
	enter->landlock = cx_landlock_enter(grant, CX_COUNT(grant));
	return enter->landlock < 0 ? -1 : 0;
}

int cx_command_seccomp(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)enter;
	(void)item;
	return CX_PROMISE(calls_are_filtered,
	                  cx_seccomp_load(CX_SECCOMP_COMMAND) == 0) ? 0 : -1;
}

/* execve takes its texts without const and leaves them alone. */
static char *as_argument(const char *text)
{
	const union {
		const char *in;
		char *out;
	} pun = { .in = text };

	return pun.out;
}

/* A text that is too long for an argument is sourced from its file: so $0,
 * exit and return are as under -c, and no descriptor stays open. */
static int run_shell(struct cx_enter *enter)
{
	const char *text = enter->box->command;
	char *argv[4] = { as_argument("bash"), as_argument("-c"), NULL, NULL };

	argv[2] = as_argument(strlen(text) > CX_BOX_ARGUMENT_MAX_BYTES ?
	                      ". /run/cx/command" : text);
	return execve("/bin/bash", argv, enter->box->profile->env);
}

/* Tries name in each folder of PATH; errno is what a shell would say. */
static void search(const struct cx_enter *enter, const char *name)
{
	const char *at = cx_profile_get(enter->box->profile, "PATH");
	int found = ENOENT;

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char path[PATH_MAX];

		if (length > 0 && snprintf(path, sizeof path, "%.*s/%s",
		                           (int)length, at, name) < PATH_MAX) {
			execve(path, enter->box->argv,
			       enter->box->profile->env);
			if (errno != ENOENT && errno != ENOTDIR &&
			    errno != EACCES)
				return;
			if (errno == EACCES)
				found = EACCES;
		}
		at += length + (at[length] == ':');
	}
	errno = found;
}

/* By system call and without stdio: this memory is init's. */
static void complain(const char *name, const char *what)
{
	const struct iovec part[] = {
		{ as_argument("cx-run: "), 8 },
		{ as_argument(name), strlen(name) },
		{ as_argument(": "), 2 },
		{ as_argument(what), strlen(what) },
		{ as_argument("\n"), 1 },
	};

	if (writev(STDERR_FILENO, part, (int)CX_COUNT(part)) < 0)
		return; /* the status says it as well */
}

/* Execve's refusals that are the command's own failure. */
static void end_as_a_shell_would(const char *name)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		complain(name, "not found");
		_exit(127);
	case EACCES:
	case EISDIR:
		complain(name, "not permitted");
		_exit(126);
	case ENOEXEC:
		complain(name, "not an executable format");
		_exit(126);
	case ELOOP:
	case ENAMETOOLONG:
		complain(name, "not a usable name");
		_exit(126);
	}
}

int cx_command_exec(struct cx_enter *enter, const struct cx_plan_item *item)
{
	(void)item;
	if (cx_signals_unblock() < 0)
		return -1;
	enter->executed_us = cx_clock_mono_us();
	if (enter->box->command)
		return run_shell(enter);
	if (strchr(enter->box->argv[0], '/'))
		execve(enter->box->argv[0], enter->box->argv,
		       enter->box->profile->env);
	else
		search(enter, enter->box->argv[0]);
	end_as_a_shell_would(enter->box->argv[0]);
	return -1;
}
