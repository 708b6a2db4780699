/* judging.h - decide and classify of cx-gateway, between options and
 * service. */
#ifndef CX_TOOL_JUDGING_H
#define CX_TOOL_JUDGING_H

#include "cli/io.h"

struct cx_judging {
	struct cx_io_args io;
};


int cx_judging_run_decide(struct cx_cli *cli, void *given);
int cx_judging_run_classify(struct cx_cli *cli, void *given);

#endif
