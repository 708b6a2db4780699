/* spawn.c - see spawn.h. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/mem.h"

/* Puts fd (or /dev/null) in the place target. */
static int place(int fd, int target)
{
	if (fd < 0)
		fd = open("/dev/null", target == 0 ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		return -1;
	if (fd == target)
		return fcntl(fd, F_SETFD, 0);
	return dup2(fd, target) < 0 ? -1 : 0;
}

/* A source below 3 would be overwritten before it is used. */
static int lift(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

/* Where name stands: itself when it has a slash, else in PATH. execvp would
 * do it too, but runs a script without "#!" through sh. */
static char *look_up(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return cx_mem_text(name);
	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *whole = cx_mem_print("%.*s/%s", (int)length, path, name);

		if (length && access(whole, X_OK) == 0)
			return whole;
		free(whole);
		path += length + (path[length] == ':');
	}
	return NULL;
}

static _Noreturn void become(const struct cx_spawn *what, const char *program,
                             pid_t parent, int report)
{
	int in = lift(what->in_fd), out = lift(what->out_fd);
	int error = lift(what->err_fd);
	sigset_t none;

	if (what->group)
		setpgid(0, 0);
	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent &&
	    place(in, 0) == 0 && place(out, 1) == 0 && place(error, 2) == 0) {
		/* execve doesn't change what the arrays point to */
		union { const char *const *from; char *const *to; } argv, env;

		argv.from = what->argv;
		env.from = what->env;
		execve(program, argv.to, env.to);
	}
	in = errno;
	if (write(report, &in, sizeof in) < 0)
		_exit(126);
	_exit(127);
}

static int not_started(const char *name, int sys, struct cx_err *err)
{
	errno = sys;
	cx_err_sys(err, CX_E_IO_ERROR, "%s can't be run", name);
	if (sys == ENOENT) {
		cx_err_set(err, CX_E_IO_ERROR,
		           "%s isn't installed (or isn't in PATH)", name);
		err->sys = ENOENT;
		err->status = 69;
	}
	return -1;
}

int cx_spawn_start(const struct cx_spawn *what, pid_t *ret_pid,
                   struct cx_err *err)
{
	CX_AUTO_FD int read_end = -1;
	CX_AUTO_FD int write_end = -1;
	CX_AUTO_FREE char *program = look_up(what->argv[0]);
	pid_t parent = getpid(), pid;
	int ends[2], sys;

	if (!program)
		return not_started(what->argv[0], ENOENT, err);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	read_end = ends[0];
	write_end = ends[1];
	pid = fork();
	if (pid < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "start a process");
	if (pid == 0)
		become(what, program, parent, write_end);
	cx_fd_close_at(&write_end);
	if (cx_fd_read(read_end, &sys, sizeof sys) == sizeof sys) {
		waitpid(pid, NULL, 0);
		return not_started(what->argv[0], sys, err);
	}
	*ret_pid = pid;
	return 0;
}

int cx_spawn_wait(pid_t pid, int *ret_status, struct cx_err *err)
{
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return cx_err_sys(err, CX_E_IO_ERROR,
			                  "wait for a process");
	return 0;
}

/* Keeps the end of what comes: only the last line is ever shown. */
static void keep_tail(struct cx_buf *tail, const char *data, size_t size)
{
	if (tail->size + size > 8192)
		cx_buf_clear(tail);
	cx_buf_add(tail, data, size);
}

/* Reads both until both are at their end. 0, or -1 when out grew over max. */
static int collect(int out_fd, int err_fd, size_t max, struct cx_buf *out,
                   struct cx_buf *tail)
{
	struct pollfd fd[] = { { out_fd, POLLIN, 0 }, { err_fd, POLLIN, 0 } };
	char data[4096];

	while (fd[0].fd >= 0 || fd[1].fd >= 0) {
		if (poll(fd, 2, -1) < 0 && errno != EINTR)
			return -1;
		for (size_t i = 0; i < 2; i++) {
			ssize_t n;

			if (fd[i].fd < 0 || !fd[i].revents)
				continue;
			n = read(fd[i].fd, data, sizeof data);
			if (n <= 0)
				fd[i].fd = -1;
			else if (i == 0)
				cx_buf_add(out, data, (size_t)n);
			else
				keep_tail(tail, data, (size_t)n);
		}
		if (out->size > max)
			return -1;
	}
	return 0;
}

static const char *last_line(struct cx_buf *tail)
{
	char *line;

	while (tail->size && tail->data[tail->size - 1] == '\n')
		tail->data[--tail->size] = '\0';
	line = tail->size ? strrchr(tail->data, '\n') : NULL;
	if (line)
		return line + 1;
	return tail->size ? tail->data : "it said nothing";
}

int cx_spawn_output(const char *const *argv, const char *const *env,
                    size_t max, struct cx_buf *ret, struct cx_err *err)
{
	CX_AUTO_FD int out = -1, out_child = -1, error = -1, error_child = -1;
	CX_AUTO_BUF struct cx_buf tail = { 0 };
	int pair[2], status, got;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	out = pair[0];
	out_child = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	error = pair[0];
	error_child = pair[1];
	if (cx_spawn_start(&(struct cx_spawn){ argv, env, -1, out_child,
	                                       error_child, false }, &pid,
	                   err) < 0)
		return -1;
	cx_fd_close_at(&out_child);
	cx_fd_close_at(&error_child);
	got = collect(out, error, max, ret, &tail);
	if (got < 0)
		kill(pid, SIGKILL);
	if (cx_spawn_wait(pid, &status, err) < 0)
		return -1;
	if (got < 0)
		return cx_err_set(err, CX_E_IO_ERROR,
		                  "%s wrote more than %zu bytes", argv[0], max);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return cx_err_set(err, CX_E_IO_ERROR, "%s failed: %.400s",
		                  argv[0], last_line(&tail));
	return 0;
}
