/* bootstrap.c - see bootstrap.h. */
#include "build/bootstrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/client.h"

enum { TAIL_MAX_BYTES = 16 * 1024, ARGS_MAX = 128 };

/* A growing argv whose texts it owns. */
struct args { char *item[ARGS_MAX + 1]; size_t count; };

static void add(struct args *args, char *owned)
{
	if (args->count < ARGS_MAX)
		args->item[args->count++] = owned;
	else
		free(owned);
}

static char *join(const json_t *list)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	json_t *item;
	size_t i;

	json_array_foreach (list, i, item)
		cx_buf_print(&text, "%s%s", i ? "," : "",
		             json_string_value(item));
	return cx_buf_take(&text);
}

static void free_args(struct args *args)
{
	for (size_t i = 0; i < args->count; i++)
		free(args->item[i]);
}

static bool is_real_root(void)
{
	CX_AUTO_BUF struct cx_buf map = { 0 };
	struct cx_err unused;
	unsigned long inner, outer, count;

	return geteuid() == 0 &&
	       cx_fd_load(AT_FDCWD, "/proc/self/uid_map", 4096, &map,
	                  &unused) == 0 &&
	       sscanf(map.data, "%lu %lu %lu", &inner, &outer, &count) == 3 &&
	       inner == 0 && count == 4294967295UL;
}

static void fill_args(struct args *args, const struct cx_recipe *recipe,
                      const struct cx_mirror *mirror)
{
	char *line[4];
	json_t *item;
	size_t i;

	add(args, cx_mem_text("mmdebstrap"));
	add(args, cx_mem_print("--mode=%s",
	                       is_real_root() ? "root" : "unshare"));
	add(args, cx_mem_print("--variant=%s", recipe->variant));
	add(args, cx_mem_text("--format=tar"));
	add(args, cx_mem_text("--skip=output/dev"));
	json_array_foreach (recipe->exclude, i, item)
		add(args, cx_mem_print("--dpkgopt=path-exclude=%s",
		                       json_string_value(item)));
	/* licences stay with what they cover */
	add(args, cx_mem_text("--dpkgopt=path-include="
	                      "/usr/share/doc/*/copyright"));
	if (json_array_size(recipe->packages)) {
		CX_AUTO_FREE char *list = join(recipe->packages);

		add(args, cx_mem_print("--include=%s", list));
	}
	add(args, cx_mem_text("--"));
	add(args, cx_mem_text(recipe->suite));
	add(args, cx_mem_text("-"));
	cx_mirror_lines(mirror, recipe, line);
	for (i = 0; line[i]; i++)
		add(args, line[i]);
}

/* The caller's line of /etc/subuid, by name or number. */
static bool has_subordinate_ids(void)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	const struct passwd *self = getpwuid(getuid());
	char number[24];
	struct cx_err unused;

	if (cx_fd_load(AT_FDCWD, "/etc/subuid", 1 << 20, &text,
	               &unused) < 0)
		return false;
	snprintf(number, sizeof number, "%u", getuid());
	for (const char *line = text.data; line && *line;) {
		size_t length = strcspn(line, ":\n");

		if ((self && length == strlen(self->pw_name) &&
		     strncmp(line, self->pw_name, length) == 0) ||
		    (length == strlen(number) &&
		     strncmp(line, number, length) == 0))
			return true;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

static int check_user(struct cx_err *err)
{
	if (is_real_root() || has_subordinate_ids())
		return 0;
	return cx_err_set(err, CX_E_ISOLATION_UNAVAILABLE,
	                  "making a Debian base takes root or subordinate ids "
	                  "(a line in /etc/subuid and /etc/subgid); without, "
	                  "use root's store, or cx-build l0 --import PATH");
}

/* Where it works, in TMPDIR or /tmp: other ids than ours must get there. */
static int make_folder(struct cx_client *client, char ret[PATH_MAX],
                       struct cx_err *err)
{
	const char *temporary = getenv("TMPDIR");
	int length = snprintf(ret, PATH_MAX, "%s/cx-build-XXXXXX",
	                      temporary && *temporary ? temporary : "/tmp");

	if (length >= PATH_MAX || !mkdtemp(ret) || chmod(ret, 0755) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "make a folder for mmdebstrap");
	cx_client_set(client, "TMPDIR", ret);
	return 0;
}

static int start(struct args *args, struct cx_client *client,
                 struct cx_bootstrap *ret, struct cx_err *err)
{
	CX_AUTO_FD int out = -1;
	CX_AUTO_FD int error = -1;
	union { char **from; const char *const *to; } argv;
	char folder[PATH_MAX];
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	ret->out_fd = pair[0];
	out = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	ret->err_fd = pair[0];
	error = pair[1];
	fcntl(ret->out_fd, F_SETPIPE_SZ, 1024 * 1024);
	if (make_folder(client, folder, err) < 0)
		return -1;
	argv.from = args->item;
	if (cx_warden_start(&(struct cx_spawn){ argv.to, client->env, -1, out,
	                                        error, true }, folder,
	                    &ret->warden, err) == 0)
		return 0;
	if (err->sys == ENOENT) {
		cx_err_set(err, CX_E_IO_ERROR,
		           "mmdebstrap isn't installed; install the package "
		           "mmdebstrap");
		err->status = 69;
	}
	return -1;
}

int cx_bootstrap_start(const struct cx_recipe *recipe,
                       const struct cx_mirror *mirror,
                       const struct cx_progress *progress,
                       struct cx_bootstrap *ret, struct cx_err *err)
{
	CX_AUTO_BOOTSTRAP struct cx_bootstrap bootstrap = CX_BOOTSTRAP_NONE;
	CX_AUTO_CLIENT struct cx_client client;
	struct args args = { { NULL }, 0 };
	char epoch[24];
	int status;

	if (check_user(err) < 0)
		return -1;
	cx_client_start(&client);
	snprintf(epoch, sizeof epoch, "%lld", (long long)recipe->epoch);
	cx_client_set(&client, "SOURCE_DATE_EPOCH", epoch);
	if (mirror->proxy)
		cx_client_set(&client, "http_proxy", mirror->proxy);
	fill_args(&args, recipe, mirror);
	bootstrap.progress = progress;
	status = start(&args, &client, &bootstrap, err);
	free_args(&args);
	cx_client_done(&client);
	if (status < 0)
		return -1;
	*ret = bootstrap;
	bootstrap = CX_BOOTSTRAP_NONE;
	return 0;
}

/* Shows the last whole line of what came, "I: " taken off. */
static void tell(const struct cx_bootstrap *bootstrap)
{
	const struct cx_buf *tail = &bootstrap->tail;
	const char *end = memrchr(tail->data, '\n', tail->size);
	const char *line = end ? memrchr(tail->data, '\n',
	                                 (size_t)(end - tail->data))
	                       : NULL;

	if (!end)
		return;
	line = line ? line + 1 : tail->data;
	if (strncmp(line, "I: ", 3) == 0)
		cx_progress_say(bootstrap->progress, "%.*s",
		                (int)(end - line - 3), line + 3);
}

/* Takes what it said; false at its end. */
static bool listen_once(struct cx_bootstrap *bootstrap)
{
	char data[4096];
	ssize_t n = read(bootstrap->err_fd, data, sizeof data);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (bootstrap->tail.size > TAIL_MAX_BYTES)
		cx_buf_clear(&bootstrap->tail);
	cx_buf_add(&bootstrap->tail, data, (size_t)n);
	tell(bootstrap);
	return true;
}

int cx_bootstrap_wait(struct cx_bootstrap *bootstrap, struct cx_err *err)
{
	CX_AUTO_FD int interrupt = cx_interrupt_fd();
	struct pollfd fd[] = { { bootstrap->out_fd, POLLIN, 0 },
	                       { bootstrap->err_fd, POLLIN, 0 },
	                       { interrupt, POLLIN, 0 } };

	while (fd[0].revents == 0) {
		if (poll(fd, 3, -1) < 0 && errno != EINTR)
			return cx_err_sys(err, CX_E_IO_ERROR,
			                  "wait for mmdebstrap");
		if (cx_interrupt_check(err) < 0)
			return -1;
		if (fd[1].revents && !listen_once(bootstrap))
			fd[1].fd = -1;
	}
	return 0;
}

/* The first line that begins "E: ", else the last one. */
static const char *complaint(struct cx_buf *tail)
{
	char *line = tail->size ? strstr(tail->data, "E: ") : NULL;

	if (line) {
		line += 3;
		line[strcspn(line, "\n")] = '\0';
		return line;
	}
	return "it gave no reason";
}

int cx_bootstrap_end(struct cx_bootstrap *bootstrap, struct cx_err *err)
{
	int status;
	pid_t pid = bootstrap->warden.pid;

	while (listen_once(bootstrap))
		continue;
	bootstrap->warden.pid = -1;
	if (cx_spawn_wait(pid, &status, err) < 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return cx_err_set(err, CX_E_IO_ERROR, "mmdebstrap failed: %.400s",
	                  complaint(&bootstrap->tail));
}

void cx_bootstrap_done(struct cx_bootstrap *bootstrap)
{
	/* it removes its own folders when asked to end */
	cx_fd_close_at(&bootstrap->warden.lifeline_fd);
	cx_fd_close_at(&bootstrap->out_fd);
	if (bootstrap->warden.pid > 0)
		waitpid(bootstrap->warden.pid, NULL, 0);
	cx_fd_close_at(&bootstrap->out_fd);
	cx_fd_close_at(&bootstrap->err_fd);
	cx_buf_done(&bootstrap->tail);
}
