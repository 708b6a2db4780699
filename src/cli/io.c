/* io.c - see io.h. */
#include "cli/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/fill.h"
#include "data/answer.h"
#include "data/feed.h"
#include "data/place.h"
#include "data/yaml.h"

const char *const cx_io_surfaces[] = { "chat", "agent", "task", NULL };

enum { EXIT_SOME_FAILED = 1, EXIT_IO = 74, FLUSH_BYTES = 65536 };

/* A line for a person: controls and broken UTF-8 become '?'. */
static void add_clean(struct cx_buf *line, const char *text)
{
	size_t size = strlen(text);

	for (size_t at = 0; at < size;) {
		size_t length = cx_str_utf8(text + at, size - at);
		char one[5] = "";

		memcpy(one, text + at, length);
		if (length == 0 || cx_str_has_control(one))
			cx_buf_byte(line, '?');
		else
			cx_buf_add(line, one, length);
		at += length ? length : 1;
	}
}

static void tell(const struct cx_cli *cli, const char *text)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };

	cx_buf_print(&line, "%s: ", cli->tool->name);
	add_clean(&line, text);
	cx_buf_byte(&line, '\n');
	if (cx_fd_write(STDERR_FILENO, line.data, line.size) < 0)
		errno = 0; /* nobody is left to be told */
}

void cx_io_note(const struct cx_cli *cli, const char *format, ...)
{
	CX_AUTO_FREE char *text = NULL;
	va_list arg;

	va_start(arg, format);
	if (vasprintf(&text, format, arg) < 0)
		text = NULL;
	va_end(arg);
	tell(cli, text ? text : format);
}

int cx_io_complain(const struct cx_cli *cli, const struct cx_err *err)
{
	int status = cx_err_exit(err);
	bool denied = status == 77 || status == 69;
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_buf_print(&text, "%s%s: %s", denied ? "denied: " : "",
	             cx_err_name(err->code), err->text);
	if (err->pointer[0])
		cx_buf_print(&text, " (at %s)", err->pointer);
	tell(cli, text.data);
	return status;
}

static int cannot_write(const struct cx_cli *cli)
{
	struct cx_err err;

	cx_err_sys(&err, CX_E_IO_ERROR, "write standard output");
	err.code = CX_E_IO_ERROR; /* a full disk there isn't our store's */
	cx_io_complain(cli, &err);
	return EXIT_IO;
}

int cx_io_raw(const struct cx_cli *cli, const void *data, size_t size)
{
	if (cx_fd_write(STDOUT_FILENO, data, size) < 0)
		return cannot_write(cli);
	return 0;
}

void cx_io_leave(void)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

int cx_io_write(const struct cx_cli *cli, const json_t *value)
{
	bool person = isatty(STDOUT_FILENO);
	bool colour = person && getenv("NO_COLOR") == NULL;

	if (cx_json_pour(value, person, colour, STDOUT_FILENO) < 0)
		return cannot_write(cli);
	return 0;
}

int cx_io_fail(const struct cx_cli *cli, const struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_object();
	CX_AUTO_JSON json_t *whole = NULL;
	int status = cx_io_complain(cli, err);

	json_object_set_new(doc, "error", cx_answer_error(err));
	whole = cx_answer_versioned(doc);
	return cx_io_write(cli, whole) ? EXIT_IO : status;
}

static bool can_begin_empty(const struct cx_cmd *cmd)
{
	for (size_t i = 0; i < cmd->opt_count; i++)
		if (cx_str_same(cmd->opt[i].name, "empty"))
			return true;
	return false;
}

int cx_io_open(const struct cx_cli *cli, const struct cx_io_args *args,
               struct cx_err *err)
{
	int fd;

	if (!args->file && isatty(STDIN_FILENO))
		return cx_err_set(err, CX_E_USAGE,
		                  "standard input is a terminal; pipe a "
		                  "document in, or use -f FILE%s",
		                  can_begin_empty(cli->cmd) ? " or -n" : "");
	if (!args->file || cx_str_same(args->file, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd >= 0 ? fd : cx_err_sys(err, CX_E_IO_ERROR,
		                                 "read standard input");
	}
	fd = open(args->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		return cx_err_missing(err, args->file);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s", args->file);
	return fd;
}

static const char *input_name(const struct cx_io_args *args)
{
	return args->file ? args->file : "standard input";
}

static int parse(const struct cx_io_args *args, const char *name,
                 const char *text, size_t size, json_t **ret_doc,
                 struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = NULL;
	size_t blank = strspn(text ? text : "", " \t\r\n");

	if (cx_yaml_parse_any(text, size, name, &doc, err) < 0)
		return -1;
	if (!json_is_object(doc))
		return cx_place_fail(err, name, cx_place_of(text, size, blank),
		                     "", "the document must be an object");
	if (cx_fill_session(args, doc, err) < 0)
		return -1;
	*ret_doc = CX_TAKE(doc);
	return 0;
}

int cx_io_read(const struct cx_cli *cli, const struct cx_io_args *args,
               json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (args->empty && args->file)
		return cx_err_set(err, CX_E_USAGE,
		                  "-n and -f exclude each other");
	if (args->empty) {
		CX_AUTO_JSON json_t *doc = json_object();

		if (cx_fill_session(args, doc, err) < 0)
			return -1;
		*ret_doc = CX_TAKE(doc);
		return 0;
	}
	fd = cx_io_open(cli, args, err);
	if (fd < 0)
		return -1;
	if (cx_fd_slurp(fd, CX_JSON_DOCUMENT_MAX_BYTES, input_name(args),
	                &text, err) < 0)
		return -1;
	return parse(args, input_name(args), text.data, text.size, ret_doc,
	             err);
}

int cx_io_read_bytes(const struct cx_cli *cli, const struct cx_io_args *args,
                     size_t max, struct cx_buf *ret, struct cx_err *err)
{
	CX_AUTO_FD int fd = cx_io_open(cli, args, err);
	ssize_t size;

	if (fd < 0)
		return -1;
	size = cx_fd_read(fd, cx_buf_room(ret, max), max);
	if (size < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read %s",
		                  input_name(args));
	ret->size += (size_t)size;
	ret->data[ret->size] = '\0';
	return 0;
}

/* The exit status of a document that came with an error. */
static int carried_status(const json_t *error)
{
	const struct cx_err err = { .code = cx_answer_class(error) };

	return cx_err_exit(&err);
}

bool cx_io_passes(const struct cx_cli *cli, json_t *doc, int *ret_status)
{
	const json_t *error = json_object_get(doc, "error");
	CX_AUTO_JSON json_t *whole = NULL;

	if (!error)
		return false;
	whole = cx_answer_versioned(doc);
	*ret_status = cx_io_write(cli, whole) ? EXIT_IO
	                                      : carried_status(error);
	return true;
}

/* One document: its status, and *doc as it is to be written. */
static int handle(const struct cx_cli *cli, json_t *doc, cx_io_each *each,
                  void *context)
{
	struct cx_err err = { 0 };

	if (json_object_get(doc, "error"))
		return carried_status(json_object_get(doc, "error"));
	if (each(doc, context, &err) == 0)
		return 0;
	json_object_set_new(doc, "error", cx_answer_error(&err));
	return cx_io_complain(cli, &err);
}

static int one(const struct cx_cli *cli, const struct cx_io_args *args,
               cx_io_each *each, void *context)
{
	CX_AUTO_JSON json_t *doc = NULL;
	CX_AUTO_JSON json_t *whole = NULL;
	struct cx_err err = { 0 };
	int status;

	if (cx_io_read(cli, args, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	status = handle(cli, doc, each, context);
	whole = cx_answer_versioned(doc);
	return cx_io_write(cli, whole) ? EXIT_IO : status;
}

static int flush(void *context)
{
	struct cx_buf *out = context;
	int result = cx_fd_write(STDOUT_FILENO, out->data, out->size);

	cx_buf_clear(out);
	return result;
}

/* As parse(). Only a fault needs the document's number, so it is read once
 * more for that. */
static int parse_numbered(const struct cx_io_args *args, size_t number,
                          const char *text, size_t size, json_t **ret_doc,
                          struct cx_err *err)
{
	CX_AUTO_FREE char *name = NULL;

	if (parse(args, input_name(args), text, size, ret_doc, err) == 0)
		return 0;
	name = cx_mem_print("%s, document %zu", input_name(args), number);
	return parse(args, name, text, size, ret_doc, err);
}

/* One text of a stream: 0 or the status of its failure; appends its line. */
static int line(const struct cx_cli *cli, const struct cx_io_args *args,
                size_t number, const char *text, size_t size,
                struct cx_err *err, cx_io_each *each, void *context,
                struct cx_buf *out)
{
	CX_AUTO_JSON json_t *doc = NULL;
	int status;

	if (text &&
	    parse_numbered(args, number, text, size, &doc, err) == 0) {
		status = handle(cli, doc, each, context);
	} else {
		status = cx_io_complain(cli, err);
		doc = json_object();
		json_object_set_new(doc, "error", cx_answer_error(err));
	}
	cx_answer_line(doc, out);
	return status;
}

static int many(const struct cx_cli *cli, const struct cx_io_args *args,
                int fd, cx_io_each *each, void *context)
{
	struct cx_feed feed;
	CX_AUTO_BUF struct cx_buf out = { 0 };
	int status = 0;

	cx_feed_start(&feed, fd);
	feed.before_read = flush;
	feed.context = &out;
	for (;;) {
		struct cx_err err = { 0 };
		const char *text = NULL;
		size_t size = 0;
		int got = cx_feed_next(&feed, &text, &size, &err);

		if (got == 0)
			break;
		if (got < 0 && err.code != CX_E_INPUT_INVALID) {
			cx_feed_done(&feed);
			return cx_io_complain(cli, &err);
		}
		if (line(cli, args, feed.count, got < 0 ? NULL : text, size,
		         &err, each, context, &out) != 0)
			status = EXIT_SOME_FAILED;
		if ((args->prompt || out.size > FLUSH_BYTES) &&
		    flush(&out) < 0)
			break;
		if (args->stop && *args->stop)
			break;
	}
	cx_feed_done(&feed);
	return flush(&out) < 0 ? cannot_write(cli) : status;
}

int cx_io_filter(const struct cx_cli *cli, const struct cx_io_args *args,
                 cx_io_each *each, void *context)
{
	CX_AUTO_FD int fd = -1;
	struct cx_err err = { 0 };

	if (!args->stream)
		return one(cli, args, each, context);
	if (args->empty) {
		cx_err_set(&err, CX_E_USAGE,
		           "-n and --stream exclude each other");
		return cx_io_fail(cli, &err);
	}
	fd = cx_io_open(cli, args, &err);
	if (fd < 0)
		return cx_io_fail(cli, &err);
	return many(cli, args, fd, each, context);
}
