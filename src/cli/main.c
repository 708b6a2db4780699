/* main.c - the one main() of all six tools: options, then the verb. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/doc.h"
#include "cli/io.h"
#include "data/json.h"

/*
 * A descriptor that the caller closed would be given to the next file that
 * we open. /dev/null stands in, opened the wrong way round, so that reading
 * and writing still fail.
 */
static void guard_standard_streams(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", flags[fd]) != fd)
			_exit(71);
}

static int tell(const struct cx_opt_found *found)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (found->version)
		cx_buf_print(&text, "%s %s\n", cx_tool.name, CX_VERSION);
	else if (found->schema)
		cx_doc_schema(&cx_tool, found->cmd, &text);
	else
		cx_doc_help(&cx_tool, found->cmd, &text);
	return cx_io_raw(&found->cli, text.data, text.size);
}

static int refuse(struct cx_opt_found *found, const struct cx_err *err)
{
	if (found->cmd && found->cmd->refuse)
		return found->cmd->refuse(&found->cli, found->args, err);
	return cx_io_fail(&found->cli, err);
}

int main(int argc, char **argv)
{
	struct cx_opt_found found = { .cli = { .tool = &cx_tool } };
	struct cx_err err = { 0 };
	int status;

	guard_standard_streams();
	signal(SIGPIPE, SIG_DFL);
	cx_json_start();
	if (argc > 1) {
		CX_AUTO_BUF struct cx_buf text = { 0 };

		if (cx_doc_hidden(&cx_tool, argv[1], &text))
			return cx_io_raw(&found.cli, text.data, text.size);
	}
	if (cx_opt_parse(&cx_tool, argc, argv, &found, &err) < 0)
		status = refuse(&found, &err);
	else if (found.help || found.version || found.schema)
		status = tell(&found);
	else
		status = found.cmd->run(&found.cli, found.args);
	free(found.args);
	return status;
}
