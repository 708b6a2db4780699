/*
 * stage.h - from the keeper's empty place to a running OCI runtime.
 *
 * A child of the launcher's: enters the keeper's mount namespace, builds the
 * root (an overlay of its own, as natively), /dev and the volumes beside it,
 * writes the configuration and becomes the runtime, which makes the container
 * and ends.
 */
#ifndef CX_BOX_STAGE_H
#define CX_BOX_STAGE_H

#include <stddef.h>

#include "box/keeper.h"
#include "box/outside.h"

/* Names in the bundle. */
#define CX_STAGE_PID "pid"

struct cx_stage {
	struct cx_outside *outside;
	const struct cx_plan *plan;
	const struct cx_keeper *keeper;
	const char *path;      /* of the runtime */
	const char *config;    /* config.json */
	size_t config_size;
};

/* Returns when the runtime has ended. CX_STEP_NONE: with status 0, so that
 * first waits in the container. Else the step and errno (0: the runtime said
 * why on the stream of standard error; ETIMEDOUT: it took over a minute and
 * was killed). */
enum cx_step cx_stage_run(const struct cx_stage *stage, int *ret_errno);

#endif
