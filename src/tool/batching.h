/* batching.h - batch and serve between their options and their service. */
#ifndef CX_TOOL_BATCHING_H
#define CX_TOOL_BATCHING_H

#include "cli/io.h"

struct cx_batching_args {
	const char *file;            /* -f, batch alone */
	const char *runtime;
	bool unordered;
	struct cx_number jobs;
	const char *listen;          /* from here on serve alone */
	struct cx_number connections;
	struct cx_number patience;   /* seconds */
};

int cx_batching_run_batch(struct cx_cli *cli, void *given);
int cx_batching_run_serve(struct cx_cli *cli, void *given);

#endif
