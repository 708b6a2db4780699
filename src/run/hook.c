/* hook.c - see hook.h. */
#include "run/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/str.h"
#include "run/warrant.h"
#include "sys/sieve.h"
#include "sys/signals.h"

enum { LOOK_MS = 10, CHUNK_BYTES = 4096 };

/* A hook at work, and what it said so far. */
struct asked {
	pid_t pid;
	int out_fd;      /* -1: nobody listens */
	char said[CX_HOOK_REASON_MAX];
	size_t size;
};

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

static _Noreturn void become(const char *program, int in, int out)
{
	char *const argv[] = { (char[]){ "hook" }, NULL };
	char *const env[] = {
		(char[]){ "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
		          "/usr/bin:/sbin:/bin" },
		NULL,
	};
	int keep[] = { 0, 1, 2 };

	/* one of ours below 3 would be overwritten before it is used */
	in = fcntl(in, F_DUPFD_CLOEXEC, 10);
	out = fcntl(out, F_DUPFD_CLOEXEC, 10);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* standard error stays: what a hook says there is for the operator */
	if (cx_signals_default() == 0 && cx_signals_unblock() == 0 &&
	    dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
	    cx_sieve_keep(keep, 3) == 0 && chdir("/") == 0)
		execve(program, argv, env);
	_exit(127);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info,
	              WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Takes what is there; more than the reason's room is dropped. */
static void listen(struct asked *asked)
{
	char chunk[CHUNK_BYTES];
	ssize_t n = read(asked->out_fd, chunk, sizeof chunk);
	size_t room = sizeof asked->said - 1 - asked->size;
	size_t take = n > 0 && (size_t)n < room ? (size_t)n : room;

	if (n > 0) {
		memcpy(asked->said + asked->size, chunk, take);
		asked->size += take;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		cx_fd_close_at(&asked->out_fd);
	}
}

static bool ends_in_time(struct asked *asked)
{
	CX_AUTO_FD int pid_fd = (int)syscall(SYS_pidfd_open, asked->pid, 0U);
	int64_t until = cx_clock_mono_us() + INT64_C(1000) * CX_HOOK_MS;

	while (!has_ended(asked->pid)) {
		struct pollfd fd[] = {
			{ .fd = pid_fd, .events = POLLIN },
			{ .fd = asked->out_fd, .events = POLLIN },
		};
		int64_t left = (until - cx_clock_mono_us() + 999) / 1000;

		if (left <= 0)
			return false;
		if (pid_fd < 0 && left > LOOK_MS)
			left = LOOK_MS;
		if (poll(fd, 2, (int)left) > 0 && fd[1].revents)
			listen(asked);
	}
	/* what it wrote last is in the pipe; who else holds it may go on */
	if (asked->out_fd >= 0)
		listen(asked);
	return true;
}

/* Yes or no, and nothing of the hook runs any more. */
static bool outcome(struct asked *asked)
{
	bool in_time = ends_in_time(asked);
	int status = -1;

	if (!in_time)
		kill(asked->pid, SIGKILL);
	kill(-asked->pid, SIGKILL); /* and what it left behind */
	while (waitpid(asked->pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ask(const char *program, const json_t *question,
                struct asked *asked)
{
	CX_AUTO_FD int in = input(question);
	CX_AUTO_FD int out = -1;
	int end[2];
	bool yes;

	*asked = (struct asked){ .out_fd = -1 };
	if (!cx_warrant_holds(program)) {
		asked->size = (size_t)snprintf(asked->said, sizeof asked->said,
			"not asked: its program, or a folder above it, is "
			"another user's to change; see chown and chmod go-w");
		return false;
	}
	if (in < 0 || pipe2(end, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	asked->out_fd = end[0];
	out = end[1];
	/* the hook's own end waits, as programs expect */
	fcntl(out, F_SETFL, 0);
	asked->pid = fork();
	if (asked->pid == 0)
		become(program, in, out);
	cx_fd_close_at(&out);
	yes = asked->pid > 0 && outcome(asked);
	cx_fd_close_at(&asked->out_fd);
	return yes;
}

bool cx_hook_ask(const char *program, const json_t *question)
{
	struct asked asked;

	return ask(program, question, &asked);
}

static size_t letter_bytes(const char *at)
{
	unsigned char first = (unsigned char)*at;

	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Its first line; a letter that the end cuts is left out. */
static void read_reason(const struct asked *asked, char *ret)
{
	CX_AUTO_JSON json_t *text = NULL;
	size_t length = strcspn(asked->said, "\r\n"), at = 0;

	if (length == sizeof asked->said - 1)
		while (length > 0 && ((unsigned char)asked->said[--length] &
		                      0xc0) == 0x80)
			continue;
	text = cx_json_repaired(asked->said, length);
	for (const char *from = json_string_value(text); *from;) {
		size_t bytes = letter_bytes(from);

		if (at + bytes >= CX_HOOK_REASON_MAX)
			break;
		if (cx_str_is_control(from, bytes))
			ret[at++] = ' ';
		else
			at = (size_t)((char *)mempcpy(ret + at, from, bytes) -
			              ret);
		from += bytes;
	}
	ret[at] = '\0';
}

bool cx_hook_ask_why(const char *program, const json_t *question,
                     char ret_reason[CX_HOOK_REASON_MAX])
{
	struct asked asked;
	bool yes = ask(program, question, &asked);

	read_reason(&asked, ret_reason);
	return yes;
}
