/* patience.h - --wait and --no-wait: how long to wait for a workspace. */
#ifndef CX_TOOL_PATIENCE_H
#define CX_TOOL_PATIENCE_H

#include "cli/opt.h"

#define CX_PATIENCE_OPTIONS(type) \
	CX_NUMBER(type, wait, "wait", 0, "SECONDS", 0, INT32_MAX, \
	          "Wait so long for another command's end, not as long as it " \
	          "takes"), \
	CX_FLAG(type, no_wait, "no-wait", 0, \
	        "Be refused at once while another command uses the workspace")

/* Not both: CX_E_USAGE. */
int cx_patience_check(const struct cx_number *wait, bool no_wait,
                      struct cx_err *err);

/* Milliseconds, as store/turn.h has them. */
int64_t cx_patience_of(const struct cx_number *wait, bool no_wait);

#endif
