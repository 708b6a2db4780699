/* keeping.h - workspace and delegate between their options and their
 * service. */
#ifndef CX_TOOL_KEEPING_H
#define CX_TOOL_KEEPING_H

#include "cli/io.h"

struct cx_keeping_args {
	const char *org, *user, *run, *job, *workspace;
	const char *file;            /* of the archive */
	struct cx_number wait, unused;
	bool no_wait, named, dry_run, commit, discard;
};

struct cx_keeping_delegate {
	struct cx_number enter;
};

int cx_keeping_run_list(struct cx_cli *cli, void *given);
int cx_keeping_run_export(struct cx_cli *cli, void *given);
int cx_keeping_run_import(struct cx_cli *cli, void *given);
int cx_keeping_run_diff(struct cx_cli *cli, void *given);
int cx_keeping_run_rm(struct cx_cli *cli, void *given);
int cx_keeping_run_gc(struct cx_cli *cli, void *given);
int cx_keeping_run_delegate(struct cx_cli *cli, void *given);

#endif
