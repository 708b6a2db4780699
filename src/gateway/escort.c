/* escort.c - see escort.h. */
#include "gateway/escort.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/spawn.h"
#include "base/str.h"
#include "gateway/petition.h"
#include "plane/register.h"
#include "store/state.h"

enum { TRIES = 500, PAUSE_NS = 10 * 1000 * 1000, END_MS = 5000 };

/* In run/ of the state, so that nobody else comes near it. */
static int name_socket(struct cx_escort *ret, struct cx_err *err)
{
	struct cx_state state = CX_STATE_NONE;
	uint8_t random[8];
	char name[2 * sizeof random + 1];
	CX_AUTO_FD int folder_fd = -1;

	if (cx_rand_fill(random, sizeof random, err) < 0 ||
	    cx_state_open(&state, err) < 0)
		return -1;
	if (cx_state_folder(&state, CX_STATE_RUN, &folder_fd, err) < 0) {
		cx_state_done(&state);
		return -1;
	}
	cx_hex_write(random, sizeof random, name);
	ret->path = cx_mem_print("%s/run/with-%s.sock", state.path, name);
	cx_state_done(&state);
	return 0;
}

/* Until it answers, or has ended. */
static int await(const struct cx_escort *escort, struct cx_err *err)
{
	const struct timespec pause_for = { .tv_nsec = PAUSE_NS };

	for (int i = 0; i < TRIES; i++) {
		struct cx_register reg;
		struct cx_err unused;
		bool answers = cx_register_connect(escort->path, &reg,
		                                   &unused) == 0;

		cx_register_done(&reg);
		if (answers)
			return 0;
		if (waitpid(escort->gateway, NULL, WNOHANG) != 0)
			break;
		nanosleep(&pause_for, NULL);
	}
	return cx_err_set(err, CX_E_CONTROL_UNREACHABLE, "the gateway didn't "
	                  "start; cx-gateway serve says why");
}

int cx_escort_start(struct cx_escort *ret, struct cx_err *err)
{
	char self[PATH_MAX];
	union { char **ours; const char *const *theirs; } env = { environ };
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	*ret = (struct cx_escort){ 0 };
	if (n <= 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read /proc/self/exe");
	self[n] = '\0';
	if (name_socket(ret, err) < 0)
		return -1;
	if (cx_spawn_start(&(struct cx_spawn){
		(const char *const[]){ self, "serve", "--socket", ret->path,
		                       NULL },
		env.theirs, -1, -1, 2, true }, &ret->gateway, err) < 0)
		return -1;
	return await(ret, err);
}

/* Our environment with CX_GATEWAY in it; the list is the caller's to free. */
static const char **make_environment(char *variable)
{
	size_t count = 0, kept = 0;
	const char **list;

	while (environ[count])
		count++;
	list = cx_mem_array(count + 2, sizeof *list);
	for (size_t i = 0; i < count; i++)
		if (!cx_str_starts(environ[i], "CX_GATEWAY="))
			list[kept++] = environ[i];
	list[kept] = variable;
	return list;
}

/* Its end, while what would end us goes on to it. */
static int follow(pid_t pid, int signal_fd, struct cx_err *err)
{
	CX_AUTO_FD int pid_fd = pidfd_open(pid, 0);
	struct pollfd both[] = { { pid_fd, POLLIN, 0 },
		                 { signal_fd, POLLIN, 0 } };
	struct signalfd_siginfo info;
	int status;

	while (pid_fd >= 0) {
		if (poll(both, 2, -1) < 0 && errno != EINTR)
			break;
		if (both[0].revents)
			break;
		if (both[1].revents &&
		    read(signal_fd, &info, sizeof info) == sizeof info)
			kill(pid, (int)info.ssi_signo);
	}
	if (cx_spawn_wait(pid, &status, err) < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
	                           : WEXITSTATUS(status);
}

int cx_escort_run(const struct cx_escort *escort, char *const *argv,
                  int *ret_status, struct cx_err *err)
{
	CX_AUTO_FREE char *variable = cx_mem_print("CX_GATEWAY=%s",
	                                           escort->path);
	CX_AUTO_FREE const char **env = make_environment(variable);
	CX_AUTO_FD int signal_fd = cx_interrupt_fd();
	const union { char *const *ours; const char *const *theirs; } list = {
		argv,
	};
	pid_t pid;

	if (cx_spawn_start(&(struct cx_spawn){ list.theirs, env, 0, 1, 2,
	                                       false }, &pid, err) < 0) {
		*ret_status = err->sys == ENOENT ? 127 : 126;
		return -1;
	}
	*ret_status = follow(pid, signal_fd, err);
	return *ret_status < 0 ? -1 : 0;
}

int cx_escort_usage(const struct cx_escort *escort, json_t **ret,
                    struct cx_err *err)
{
	CX_AUTO_JSON json_t *question = cx_petition_about("usage", NULL);
	CX_AUTO_JSON json_t *answer = NULL;

	if (cx_petition_ask(escort->path, question, &answer, err) < 0)
		return -1;
	*ret = json_incref(json_object_get(answer, "total"));
	return 0;
}

void cx_escort_done(struct cx_escort *escort)
{
	if (escort->gateway) {
		CX_AUTO_FD int fd = pidfd_open(escort->gateway, 0);
		struct pollfd one = { fd, POLLIN, 0 };

		kill(escort->gateway, SIGTERM);
		if (fd < 0 || poll(&one, 1, END_MS) != 1)
			kill(escort->gateway, SIGKILL);
		waitpid(escort->gateway, NULL, 0);
		unlink(escort->path);
	}
	free(escort->path);
	*escort = (struct cx_escort){ 0 };
}
