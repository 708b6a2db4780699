/*
 * readiness.h - may the plane be used: the rollout, a key, and a completed
 * round trip through a real sandbox.
 */
#ifndef CX_RUN_READINESS_H
#define CX_RUN_READINESS_H

#include "base/err.h"
#include "plane/config.h"

/* For what gives execution to others (serve, mcp): CX_E_EXECUTION_DISABLED,
 * with what to set, unless the rollout is exactly "on". */
int cx_readiness_admit(const struct cx_config *config, struct cx_err *err);

#endif
