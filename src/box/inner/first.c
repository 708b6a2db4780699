/*
 * first.c - PID 1 of a container that an OCI runtime has made.
 *
 *   first CWD CPUS_MILLI shell TEXT
 *   first CWD CPUS_MILLI file PATH
 *   first CWD CPUS_MILLI program ARGV...
 *
 * A program of its own, since a runtime executes one: static, so that it runs
 * over any image. It is what init is natively, by the same code: the command
 * is PID 2 and told by the control socket, which stands at its standard input.
 * It believes nothing of what the runtime was to do, looks, and waits for the
 * launcher's word. The command's environment and file mode mask are its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/num.h"
#include "box/command.h"
#include "box/control.h"
#include "box/init.h"
#include "sys/affinity.h"
#include "sys/caps.h"
#include "sys/clone.h"

enum { HIGH_FD = 64, CWD = 1, CPUS, KIND, REST };

struct first {
	struct cx_box box;
	struct cx_profile profile;
	struct cx_enter enter;
};

static void started(void *context)
{
	(void)context; /* that there is one makes init say STARTED */
}

static _Noreturn void fail(struct first *first, enum cx_step step)
{
	first->enter.fault = step;
	first->enter.fault_errno = errno;
	cx_init_fail(&first->enter);
}

/* Out of the way of the command's three. */
static void lift_streams(struct first *first)
{
	struct cx_enter *enter = &first->enter;

	enter->control_fd = fcntl(0, F_DUPFD_CLOEXEC, HIGH_FD);
	enter->stream_fd[0] = fcntl(1, F_DUPFD_CLOEXEC, HIGH_FD);
	enter->stream_fd[1] = fcntl(2, F_DUPFD_CLOEXEC, HIGH_FD);
	if (enter->control_fd < 0 || enter->stream_fd[0] < 0 ||
	    enter->stream_fd[1] < 0)
		_exit(1);
}

/* The launcher has seen the container. Its death before that is our end. */
static void wait_for_word(struct first *first)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
	char word = 0;
	struct iovec part = { &word, 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &with, .msg_controllen = sizeof with,
	};
	struct cmsghdr *head;
	ssize_t n;

	do
		n = recvmsg(first->enter.control_fd, &message,
		            MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != 1 || word != CX_CONTROL_GO)
		_exit(1);
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET &&
	    head->cmsg_type == SCM_RIGHTS)
		memcpy(&first->box.stdin_fd, CMSG_DATA(head), sizeof(int));
}

/* What the runtime was told, seen from inside; the rest the launcher sees. */
static void look_around(struct first *first)
{
	errno = EPERM;
	if (getuid() != CX_PROFILE_ID || geteuid() != CX_PROFILE_ID ||
	    getgid() != CX_PROFILE_ID || getegid() != CX_PROFILE_ID ||
	    getpid() != 1)
		fail(first, CX_STEP_IDENTITY);
	if (!cx_caps_none()) {
		errno = EPERM;
		fail(first, CX_STEP_CAPABILITIES);
	}
	if (prctl(PR_GET_SECCOMP) != 2)
		fail(first, CX_STEP_SECCOMP);
	/* no one of our uid looks into us, or at what we hold */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		fail(first, CX_STEP_LIFELINE);
	if (cx_affinity_mirror(NULL, first->profile.quota.cpus_milli) < 0)
		fail(first, CX_STEP_RLIMITS);
}

/* The text ends with the file, and a NUL behind it. */
static const char *map_text(const char *path)
{
	CX_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	text = mmap(NULL, (size_t)st.st_size + 1, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		return NULL;
	if (cx_fd_read(fd, text, (size_t)st.st_size) != st.st_size)
		return NULL;
	return text;
}

static void read_arguments(struct first *first, int argc, char **argv)
{
	uint64_t cpus = 0;

	if (argc <= REST || !cx_num_parse(argv[CPUS], 1, UINT32_MAX, &cpus))
		_exit(64);
	first->profile.cwd = argv[CWD];
	first->profile.quota.cpus_milli = cpus;
	if (strcmp(argv[KIND], "program") == 0)
		first->box.argv = argv + REST;
	else if (strcmp(argv[KIND], "shell") == 0)
		first->box.command = argv[REST];
	else
		first->box.command = map_text(argv[REST]);
	if (!first->box.argv && !first->box.command)
		fail(first, CX_STEP_SCRIPT);
	first->profile.umask = umask(0);
	for (size_t i = 0; i < CX_PROFILE_ENV_MAX && environ[i]; i++)
		first->profile.env[first->profile.env_count++] = environ[i];
}

static int be_command(void *context)
{
	static const struct {
		enum cx_step step;
		int (*act)(struct cx_enter *, const struct cx_plan_item *);
	} row[] = {
		{ CX_STEP_SESSION, cx_command_session },
		{ CX_STEP_STREAMS, cx_command_streams },
		{ CX_STEP_CWD, cx_command_cwd },
		{ CX_STEP_LANDLOCK, cx_command_landlock },
		{ CX_STEP_SECCOMP, cx_command_seccomp },
		{ CX_STEP_EXEC, cx_command_exec },
	};
	struct first *first = context;

	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (row[i].act(&first->enter, NULL) < 0) {
			first->enter.fault = row[i].step;
			first->enter.fault_errno = errno;
			break;
		}
	_exit(127);
}

int main(int argc, char **argv)
{
	static struct first first;

	first.box.profile = &first.profile;
	first.box.stdin_fd = -1;
	first.box.hooks.started = started;
	first.enter.box = &first.box;
	lift_streams(&first);
	wait_for_word(&first);
	look_around(&first);
	read_arguments(&first, argc, argv);
	first.enter.command_pid = cx_clone_vfork(be_command, &first,
	                                         first.enter.stack,
	                                         sizeof first.enter.stack);
	if (first.enter.command_pid < 0)
		fail(&first, CX_STEP_FORK);
	if (first.enter.fault != CX_STEP_NONE)
		cx_init_fail(&first.enter);
	cx_init_watch(&first.enter);
}
