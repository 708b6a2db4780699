/* steering.h - the verbs of cx-gateway that speak with one that runs. */
#ifndef CX_TOOL_STEERING_H
#define CX_TOOL_STEERING_H

#include "cli/io.h"

struct cx_steering {
	struct cx_io_args io;
	const char *control;  /* the socket */
	const char *job;
	const char *usage;    /* with: a file for the usage */
};

int cx_steering_run_register(struct cx_cli *cli, void *given);
int cx_steering_run_unregister(struct cx_cli *cli, void *given);
int cx_steering_run_revoke(struct cx_cli *cli, void *given);
int cx_steering_run_usage(struct cx_cli *cli, void *given);
int cx_steering_run_reload(struct cx_cli *cli, void *given);
int cx_steering_run_with(struct cx_cli *cli, void *given);

#endif
