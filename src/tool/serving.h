/* serving.h - the verb serve of cx-gateway, between options and service. */
#ifndef CX_TOOL_SERVING_H
#define CX_TOOL_SERVING_H

#include "cli/io.h"
#include "gateway/gatehouse.h"

enum {
	CX_SERVING_TUNNELS = 16384,
	CX_SERVING_DRAIN_MS = 10000,
};

struct cx_serving {
	const char *socket, *resolver;
	struct cx_list listen;
	struct cx_number tunnels, drain_ms;
	bool private, selfcheck;
};

int cx_serving_run(struct cx_cli *cli, void *given);

#endif
