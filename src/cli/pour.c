/* pour.c - see pour.h. */
#include "cli/pour.h"

#include <errno.h>
#include <signal.h>

#include "base/fd.h"
#include "cli/io.h"

enum { PIECE = 65536 };

void cx_pour_start(struct cx_pour *ret)
{
	*ret = (struct cx_pour){ .terminal = isatty(STDOUT_FILENO) };
	signal(SIGPIPE, SIG_IGN);
}

static bool flush(struct cx_pour *pour)
{
	if (cx_fd_write(STDOUT_FILENO, pour->out.data, pour->out.size) < 0) {
		pour->closed = errno == EPIPE;
		pour->sys = pour->closed ? 0 : errno;
	}
	cx_buf_clear(&pour->out);
	return !pour->closed && pour->sys == 0;
}

static bool add_pretty(struct cx_pour *pour, const char *line, size_t size)
{
	CX_AUTO_JSON json_t *value = NULL;
	struct cx_err err;

	if (cx_json_parse(line, size, "a line", &value, &err) < 0)
		return false;
	cx_json_pretty(value, getenv("NO_COLOR") == NULL, &pour->out);
	return true;
}

bool cx_pour_line(struct cx_pour *pour, const char *line, size_t size)
{
	if (!pour->terminal || !add_pretty(pour, line, size))
		cx_buf_add(&pour->out, line, size);
	cx_buf_byte(&pour->out, '\n');
	return pour->out.size < PIECE || flush(pour);
}

int cx_pour_end(struct cx_pour *pour, const struct cx_cli *cli)
{
	struct cx_err err;
	bool done = pour->closed || pour->sys || flush(pour) || pour->closed;

	cx_buf_done(&pour->out);
	if (done && pour->sys == 0)
		return 0;
	errno = pour->sys;
	cx_err_sys(&err, CX_E_IO_ERROR, "write standard output");
	err.code = CX_E_IO_ERROR; /* not our store's disk is full */
	return cx_io_complain(cli, &err);
}
