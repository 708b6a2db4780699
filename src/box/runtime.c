/* runtime.c - see runtime.h. */
#include "box/runtime.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/idmap.h"

enum { SAID_BYTES = 4096 };

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static char *search(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path = cx_mem_print("%.*s/%s", (int)length, at, name);

		if (*path == '/' && is_program(path))
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

int cx_runtime_find(const char *name, char **ret_path, struct cx_err *err)
{
	if (!cx_idmap_is_privileged())
		return cx_err_set(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "an OCI runtime needs root here: without it "
		                  "10001 can't be mapped; run as root, or "
		                  "leave the runtime at native");
	if (*name != '/')
		*ret_path = search(name);
	else
		*ret_path = is_program(name) ? cx_mem_text(name) : NULL;
	if (*ret_path)
		return 0;
	return cx_err_set(err, CX_E_ISOLATION_UNAVAILABLE,
	                  "the runtime %s isn't installed: install it, or "
	                  "leave the runtime at native", name);
}

static int check_text(const char *text, struct cx_err *err)
{
	if (cx_str_utf8_all(text, strlen(text), NULL))
		return 0;
	return cx_err_set(err, CX_E_INPUT_INVALID, "an OCI runtime takes "
	                  "arguments in UTF-8 only; the native one takes any");
}

int cx_runtime_check_texts(const struct cx_box *box, struct cx_err *err)
{
	if (box->command)
		return check_text(box->command, err);
	for (size_t i = 0; box->argv[i]; i++)
		if (check_text(box->argv[i], err) < 0)
			return -1;
	return 0;
}

/* Words of runtimes, and what to do about it. */
static const struct {
	const char *said;
	const char *remedy;
} known[] = {
	{ "hybrid", "this machine mixes both kinds of control groups, which "
	            "crun refuses: use runc or the native runtime, or boot "
	            "with one kind" },
	{ "read-only file system", "what a runtime writes to (its groups) is "
	                           "read-only here: use the native runtime" },
};

static const char *remedy_of(const char *said)
{
	for (size_t i = 0; i < CX_COUNT(known); i++)
		if (strcasestr(said, known[i].said))
			return known[i].remedy;
	return "does it work by itself? The native runtime needs none";
}

/* The last line, in printable characters. */
static void read_last(int fd, char ret_said[SAID_BYTES])
{
	ssize_t n;
	char *line;

	ret_said[0] = '\0';
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return;
	n = read(fd, ret_said, SAID_BYTES - 1);
	ret_said[n > 0 ? n : 0] = '\0';
	while (n > 0 && ret_said[n - 1] == '\n')
		ret_said[--n] = '\0';
	line = strrchr(ret_said, '\n');
	if (line)
		memmove(ret_said, line + 1, strlen(line + 1) + 1);
	for (char *at = ret_said; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

int cx_runtime_explain(const char *path, int pipe_fd, struct cx_err *err)
{
	char said[SAID_BYTES];

	read_last(pipe_fd, said);
	return cx_err_set(err, CX_E_ISOLATION_UNAVAILABLE,
	                  "step runtime: %s made no container, saying "
	                  "\"%.300s\" (%s)", path, said, remedy_of(said));
}
