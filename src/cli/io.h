/*
 * io.h - documents in and out, the same for all six tools.
 *
 * Standard output carries data only. To a terminal it is indented and (unless
 * NO_COLOR) coloured with controls escaped; elsewhere one compact line. A
 * failure prints one line to standard error and a document with "error".
 */
#ifndef CX_CLI_IO_H
#define CX_CLI_IO_H

#include "cli/opt.h"
#include "data/json.h"

/* The options that every document verb has; embed one in the verb's struct
 * and put CX_IO_OPTIONS(struct, member) into its table, or, where a document
 * can't begin empty, CX_IO_INPUT_OPTIONS. */
struct cx_io_args {
	const char *file;    /* -f */
	bool empty;          /* -n */
	bool stream;         /* --stream */
	bool unordered;
	const char *org, *user, *surface, *run;
	/* Not options; for a verb whose documents take their time. */
	bool prompt;         /* write each line of a stream at once */
	const bool *stop;    /* true: read no further document; or NULL */
};

extern const char *const cx_io_surfaces[]; /* "chat", "agent", "task", NULL */

#define CX_IO_INPUT_OPTIONS(type, m) \
	CX_PATH(type, m.file, "file", 'f', "FILE", \
	        "Read the document from FILE instead of standard input"), \
	CX_FLAG(type, m.stream, "stream", 0, \
	        "Read many documents (NDJSON, or YAML separated by ---) and " \
	        "write a line for each")

#define CX_IO_OPTIONS(type, m) \
	CX_FLAG(type, m.empty, "empty", 'n', \
	        "Start from an empty document"), \
	CX_TEXT(type, m.org, "org", 0, "ID", \
	        "Set session.orgId of the document"), \
	CX_TEXT(type, m.user, "user", 0, "ID", \
	        "Set session.userId of the document"), \
	CX_WORD(type, m.surface, "surface", 0, "SURFACE", cx_io_surfaces, \
	        "Set session.surface of the document"), \
	CX_TEXT(type, m.run, "run", 0, "ID", \
	        "Set session.runId of the document"), \
	CX_IO_INPUT_OPTIONS(type, m)

/*
 * The filter loop: reads one document (or, with --stream, each), gives it to
 * each(), and writes what each() left in it. each() returns 0, or -1 with
 * *err; then the error member is set (beside what each() put in) and the line
 * goes to standard error. A document that holds "error" on input goes on
 * unchanged with that class's exit code, without calling each().
 * Returns the exit status of the tool.
 *
 * A function that must know a refusal's pointer fills err->pointer.
 */
typedef int cx_io_each(json_t *doc, void *context, struct cx_err *err);
int cx_io_filter(const struct cx_cli *cli, const struct cx_io_args *args,
                 cx_io_each *each, void *context);

/* Reads one document as the options say. -f, -n, terminal, YAML or JSON. */
int cx_io_read(const struct cx_cli *cli, const struct cx_io_args *args,
               json_t **ret_doc, struct cx_err *err);

/* Opens the input of -f, or standard input, for who reads it by himself; a
 * terminal is CX_E_USAGE. The descriptor, owned, or -1. */
int cx_io_open(const struct cx_cli *cli, const struct cx_io_args *args,
               struct cx_err *err);

/* A document that came with "error" goes on unchanged: true, and *ret_status
 * is the exit status of the tool. */
bool cx_io_passes(const struct cx_cli *cli, json_t *doc, int *ret_status);

/* Reads the input's first max bytes as they are (--raw), and no more. */
int cx_io_read_bytes(const struct cx_cli *cli, const struct cx_io_args *args,
                     size_t max, struct cx_buf *ret, struct cx_err *err);

/* Writes one value as a line; the exit status of the tool when it can't
 * (74, said on standard error), else 0. */
int cx_io_write(const struct cx_cli *cli, const json_t *value);

/* Everything is said: closes standard output and error, so that who reads them
 * to their end needn't wait for ours, nor for a process that shares them. */
void cx_io_leave(void);

/* Writes bytes as they are (--raw). As cx_io_write. */
int cx_io_raw(const struct cx_cli *cli, const void *data, size_t size);

/* One line on standard error ("cx-run: denied: class: text" for 77, else
 * "cx-run: class: text (at POINTER)"), and, unless output has begun, a
 * document with "error" on standard output. Returns the exit status. */
int cx_io_fail(const struct cx_cli *cli, const struct cx_err *err);

/* Only the line on standard error. */
int cx_io_complain(const struct cx_cli *cli, const struct cx_err *err);

/* A note for a person on standard error: "cx-build: text". */
void cx_io_note(const struct cx_cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
