/* readiness.c - see readiness.h. */
#include "run/readiness.h"

int cx_readiness_admit(const struct cx_config *config, struct cx_err *err)
{
	if (config->rollout)
		return 0;
	return cx_err_set(err, CX_E_EXECUTION_DISABLED,
	                  "the plane isn't rolled out; set rollout to 'on' in "
	                  "the configuration, or "
	                  "CX_EXECUTION_PLANE_ROLLOUT=on");
}
