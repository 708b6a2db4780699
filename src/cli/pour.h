/*
 * pour.h - many lines of JSON to standard output, for verbs that list.
 *
 * Written in large pieces; to a terminal each is indented. A reader who stops
 * early (head) isn't a failure: the verb ends quietly with 0, whatever was
 * left to say, so that the status doesn't depend on when the pipe closed.
 */
#ifndef CX_CLI_POUR_H
#define CX_CLI_POUR_H

#include "base/buf.h"
#include "cli/opt.h"

struct cx_pour {
	struct cx_buf out;
	bool terminal;
	bool closed;  /* the reader is gone */
	int sys;      /* errno of another failure; 0 */
};

/* Ignores SIGPIPE from here on. */
void cx_pour_start(struct cx_pour *ret);

/* One JSON value without its newline; false: write no more. */
bool cx_pour_line(struct cx_pour *pour, const char *line, size_t size);

/* Writes what is left: 0, or 74 with a message on standard error. */
int cx_pour_end(struct cx_pour *pour, const struct cx_cli *cli);

#endif
