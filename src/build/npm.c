/* npm.c - see npm.h. */
#include "build/npm.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/client.h"
#include "data/integrity.h"
#include "store/tar.h"

#define HOME "usr/local/lib/node_modules/npm"

static const char npmrc[] = "prefix=/usr/local\nupdate-notifier=false\n";

static int unusable(const char *why, struct cx_err *err)
{
	cx_err_set(err, CX_E_IO_ERROR, "%s", why);
	err->status = 69;
	return -1;
}

static bool is_address(const char *text)
{
	const char *host = strstr(text, "://");

	if (!cx_str_starts(text, "http://") && !cx_str_starts(text, "https://"))
		return false;
	for (const char *at = text; *at; at++)
		if (*at <= ' ' || *at > '~')
			return false;
	return strcspn(host + 3, "@") >= strcspn(host + 3, "/");
}

/* What a program beside the recipes finds out. */
static int ask(struct cx_buf *ret, struct cx_err *err)
{
	CX_AUTO_FREE char *program = cx_recipe_program("npm-registry");
	const char *const argv[] = { program, NULL };
	CX_AUTO_CLIENT struct cx_client client;
	const char *path = getenv("PATH");
	struct cx_err why;

	cx_client_start(&client);
	/* npm is often in a folder of its user's own */
	if (path)
		cx_client_set(&client, "PATH", path);
	if (program &&
	    cx_spawn_output(argv, client.env, 4096, ret, &why) == 0)
		return 0;
	return unusable("this machine's npm registry isn't known (npm isn't "
	                "installed); name one with --registry ADDRESS", err);
}

/* The registry's address without a final slash; owned. */
static int find_registry(const char *given, char **ret, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (given)
		cx_buf_text(&text, given);
	else if (ask(&text, err) < 0)
		return -1;
	while (text.size && strchr("/\n ", text.data[text.size - 1]))
		text.data[--text.size] = '\0';
	if (text.size == 0 || !is_address(text.data))
		return cx_err_set(err, CX_E_USAGE,
		                  "an npm registry's address begins with "
		                  "http:// or https:// and carries no "
		                  "credentials");
	*ret = cx_buf_take(&text);
	return 0;
}

static int run_curl(const char *address, int out_fd, struct cx_err *err)
{
	const char *const argv[] = {
		"curl", "-q", "--proto", "=http,https", "--fail", "--silent",
		"--location", "--max-redirs", "5", "--max-time", "300",
		"--max-filesize", "100000000", "--", address, NULL,
	};
	CX_AUTO_CLIENT struct cx_client client;
	int status;
	pid_t pid;

	cx_client_start(&client);
	if (cx_spawn_start(&(struct cx_spawn){ argv, client.env, -1, out_fd,
	                                       -1, false }, &pid, err) < 0 ||
	    cx_spawn_wait(pid, &status, err) < 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	cx_err_set(err, CX_E_UPSTREAM_UNREACHABLE,
	           "npm's tarball can't be fetched from the registry (curl "
	           "ended with %d)",
	           WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return -1;
}

static bool is_at_or_below(const char *path, const char *top)
{
	size_t length = strlen(top);

	return strncmp(path, top, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* "package/..." goes below HOME; manuals stay out. */
static bool place(const char *path, mode_t mode, void *context,
                  char ret[CX_TARNAME_MAX])
{
	const char *slash = strchr(path, '/');

	(void)mode;
	(void)context;
	if (!slash || is_at_or_below(slash + 1, "docs") ||
	    is_at_or_below(slash + 1, "man"))
		return false;
	return snprintf(ret, CX_TARNAME_MAX, HOME "/%s", slash + 1) <
	       CX_TARNAME_MAX;
}

static int unpack(int fd, struct cx_draft *draft, struct cx_err *err)
{
	const struct cx_tar_order order = { .place = place };
	CX_AUTO_INFLATE struct cx_inflate inflate = { .fd = fd };

	if (lseek(fd, 0, SEEK_SET) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "rewind npm's tarball");
	if (cx_inflate_start(&inflate, err) < 0)
		return -1;
	return cx_tar_unpack(&inflate, &order, draft, err);
}

static int add_command(struct cx_draft *draft, const char *name,
                       struct cx_err *err)
{
	CX_AUTO_FREE char *path = cx_mem_print("usr/local/bin/%s", name);
	CX_AUTO_FREE char *to = cx_mem_print(
		"../lib/node_modules/npm/bin/%s-cli.js", name);
	struct cx_entry entry = { .path = path, .link = to,
	                          .mode = S_IFLNK | 0777,
	                          .mtime = draft->latest };

	return cx_draft_symlink(draft, &entry, err);
}

int cx_npm_fetch(const struct cx_cas *cas, const struct cx_recipe *recipe,
                 const char *registry, const struct cx_progress *progress,
                 int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FREE char *host = NULL;
	CX_AUTO_FREE char *address = NULL;
	CX_AUTO_FD int fd = -1;

	if (find_registry(registry, &host, err) < 0)
		return -1;
	cx_progress_say(progress, "fetching npm %s", recipe->npm_version);
	address = cx_mem_print("%s/npm/-/npm-%s.tgz", host,
	                       recipe->npm_version);
	fd = openat(cas->tmp_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a file");
	if (run_curl(address, fd, err) < 0 ||
	    cx_integrity_check(fd, recipe->npm_integrity, "npm's tarball",
	                       err) < 0)
		return -1;
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

int cx_npm_unpack(int fd, struct cx_draft *draft, struct cx_err *err)
{
	if (unpack(fd, draft, err) < 0 ||
	    cx_draft_bytes(draft, HOME "/npmrc", 0644, npmrc,
	                   sizeof npmrc - 1, err) < 0 ||
	    add_command(draft, "npm", err) < 0)
		return -1;
	return add_command(draft, "npx", err);
}
