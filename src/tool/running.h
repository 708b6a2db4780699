/* running.h - exec, open, close and spec between their options and their
 * service. */
#ifndef CX_TOOL_RUNNING_H
#define CX_TOOL_RUNNING_H

#include "cli/io.h"

struct cx_running_exec {
	struct cx_io_args io;
	const char *command;      /* -c */
	const char *input;        /* --stdin */
	const char *tier;
	const char *runtime;
	const char *workspace;    /* a name */
	struct cx_list hosts, in, out;
	struct cx_number wait;
	bool no_wait, dry_run;
	bool exit_status;         /* -e */
	bool raw, follow, keep_carrier;
};

struct cx_running_gate {
	struct cx_io_args io;
	const char *agent;        /* of open */
};

struct cx_running_spec {
	struct cx_io_args io;
	const char *command;
	const char *tier;
	const char *format;
	const char *runtime;
	bool explain;
};

int cx_running_run_exec(struct cx_cli *cli, void *given);
int cx_running_refuse_exec(struct cx_cli *cli, void *given,
                           const struct cx_err *err);
int cx_running_run_open(struct cx_cli *cli, void *given);
int cx_running_run_close(struct cx_cli *cli, void *given);
int cx_running_run_spec(struct cx_cli *cli, void *given);

#endif
