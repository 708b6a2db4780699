/* courier.c - see courier.h. */
#include "run/courier.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/spawn.h"
#include "base/str.h"
#include "plane/logsite.h"
#include "plane/passkey.h"

enum { END_MS = 1000 };

static const char program[] = "cx-gateway";

static int require(const char *why, struct cx_err *err)
{
	return cx_err_set(err, CX_E_EGRESS_GATEWAY_REQUIRED, "%s; start one "
	                  "and name its socket in egress.gateway, or use tier "
	                  "none (--tier none, or egress.tier in the document "
	                  "or the configuration)", why);
}

/* Beside our own program, wherever that was moved to. */
static bool find_program(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	ret[n] = '\0';
	slash = strrchr(ret, '/');
	if (!slash || (size_t)(slash - ret) + sizeof program >= PATH_MAX - 1)
		return false;
	memcpy(slash + 1, program, sizeof program);
	return access(ret, X_OK) == 0;
}

static bool is_auto(const struct cx_config *config)
{
	return cx_str_same(config->gateway, "auto");
}

int cx_courier_require(const struct cx_config *config, struct cx_err *err)
{
	CX_AUTO_REGISTER struct cx_register reg = CX_REGISTER_NONE;
	struct cx_err why;
	char path[PATH_MAX];

	if (cx_str_same(config->gateway, "none"))
		return require("egress.gateway is none", err);
	if (is_auto(config))
		return find_program(path) ? 0
		       : require("cx-gateway doesn't stand beside cx-run",
		                 err);
	if (cx_register_connect(config->gateway, &reg, &why) == 0)
		return 0;
	return require(why.text, err);
}

/* What its log's place lacks is said by us, and not by a gateway that isn't
 * there. */
static int check_log(const struct cx_config *config, struct cx_err *err)
{
	CX_AUTO_LOGSITE struct cx_logsite site = CX_LOGSITE_NONE;

	return cx_logsite_open(config, &site, err);
}

/* The other end is the only one that the gateway has. */
static int start_private(const struct cx_config *config,
                         struct cx_courier *courier, struct cx_err *err)
{
	char path[PATH_MAX];
	const char *const argv[] = { path, "serve", "--private", NULL };
	union { char **ours; const char *const *theirs; } env = { environ };
	/* that a log can't be written is told whoever called us */
	struct cx_spawn what = { argv, env.theirs, -1, -1,
		                 config->log_path ? 2 : -1, false };
	CX_AUTO_FD int theirs = -1;
	int end[2];

	if (!find_program(path))
		return require("cx-gateway doesn't stand beside cx-run", err);
	if (cx_rand_fill(courier->reg.secret, sizeof courier->reg.secret,
	                 err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
		return cx_err_sys(err, CX_E_EGRESS_REGISTRATION_FAILED,
		                  "make a socket");
	courier->reg.fd = end[0];
	theirs = end[1];
	what.in_fd = theirs;
	if (send(end[0], courier->reg.secret, sizeof courier->reg.secret,
	         MSG_NOSIGNAL) < 0)
		return cx_err_sys(err, CX_E_EGRESS_REGISTRATION_FAILED,
		                  "hand the secret over");
	return cx_spawn_start(&what, &courier->pid, err);
}

static int connect_running(const struct cx_state *state, const char *path,
                           struct cx_courier *courier, struct cx_err *err)
{
	if (cx_register_connect(path, &courier->reg, err) < 0)
		return -1;
	return cx_passkey_read(state, false, courier->reg.secret, err);
}

int cx_courier_start(const struct cx_state *state,
                    const struct cx_config *config, struct cx_courier *courier,
                    struct cx_err *err)
{
	int done;

	if (courier->reg.fd >= 0)
		return 0;
	if (is_auto(config) && check_log(config, err) < 0)
		return -1;
	done = is_auto(config)
	       ? start_private(config, courier, err)
	       : connect_running(state, config->gateway, courier, err);
	if (done == 0)
		return 0;
	cx_courier_done(courier);
	if (err->code != CX_E_EGRESS_GATEWAY_REQUIRED)
		err->code = CX_E_EGRESS_REGISTRATION_FAILED;
	return -1;
}

/* It ends with its connection; one that doesn't is ended. */
static void see_off(pid_t pid)
{
	CX_AUTO_FD int fd = pidfd_open(pid, 0);
	struct pollfd one = { fd, POLLIN, 0 };
	struct cx_err ignored;
	int status;

	if (fd < 0 || poll(&one, 1, END_MS) != 1)
		kill(pid, SIGKILL);
	cx_spawn_wait(pid, &status, &ignored);
}

void cx_courier_done(struct cx_courier *courier)
{
	cx_register_done(&courier->reg);
	if (courier->pid)
		see_off(courier->pid);
	courier->pid = 0;
}
