/* readying.h - ready between its options and its service. */
#ifndef CX_TOOL_READYING_H
#define CX_TOOL_READYING_H

#include "cli/io.h"

struct cx_readying_args {
	bool fresh;
	bool probe;
};

int cx_readying_run(struct cx_cli *cli, void *given);

#endif
