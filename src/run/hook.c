/* hook.c - see hook.h. */
#include "run/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"

static int input(const json_t *question)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	CX_AUTO_FD int fd = memfd_create("question", MFD_CLOEXEC);

	cx_json_write(question, &line);
	cx_buf_byte(&line, '\n');
	if (fd < 0 || cx_fd_write(fd, line.data, line.size) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return cx_fd_take(&fd);
}

static _Noreturn void become(const char *program, int in)
{
	char *const argv[] = { (char[]){ "hook" }, NULL };
	char *const env[] = {
		(char[]){ "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
		          "/usr/bin:/sbin:/bin" },
		NULL,
	};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* standard error stays: what a hook says there is for the operator */
	if (null >= 0 && dup2(in, 0) == 0 && dup2(null, 1) == 1 &&
	    syscall(SYS_close_range, 3U, ~0U, 4U /* CLOEXEC */) == 0)
		execve(program, argv, env);
	_exit(127);
}

/* The hook's wait status, once it has ended in time; -1 when not. */
static int outcome(pid_t pid)
{
	CX_AUTO_FD int pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };
	int64_t until = cx_clock_mono_us() + CX_HOOK_MS * 1000;
	int status, got = 0;

	while (pidfd >= 0 && got <= 0) {
		int64_t left = (until - cx_clock_mono_us() + 999) / 1000;

		if (left <= 0)
			break;
		got = poll(&ended, 1, (int)left);
		if (got < 0 && errno != EINTR)
			break;
	}
	if (got <= 0)
		kill(pid, SIGKILL);
	kill(-pid, SIGKILL); /* and what it left behind */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return got > 0 ? status : -1;
}

bool cx_hook_ask(const char *program, const json_t *question)
{
	CX_AUTO_FD int in = input(question);
	pid_t pid;
	int status;

	if (in < 0)
		return false;
	pid = fork();
	if (pid == 0)
		become(program, in);
	if (pid < 0)
		return false;
	status = outcome(pid);
	return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
