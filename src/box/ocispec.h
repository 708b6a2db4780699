/*
 * ocispec.h - a plan as the configuration of an OCI runtime (config.json of
 * runtime-spec 1.0.2).
 *
 * What is ours to mount stands beside it in the bundle, under names without a
 * separator: no source of a mount is a path.
 */
#ifndef CX_BOX_OCISPEC_H
#define CX_BOX_OCISPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/box.h"

/* The program that is PID 1, and a folder for it; inside, and its source. */
#define CX_OCISPEC_INNER "/run/cx/first"
#define CX_OCISPEC_SCRIPT "/run/cx/command"
#define CX_OCISPEC_RUN "run"
#define CX_OCISPEC_DEV "dev"

struct cx_ocispec {
	const struct cx_box *box;
	const struct cx_plan *plan;
	uid_t outer_uid;      /* whom 10001 is outside */
	gid_t outer_gid;
	uint64_t processes;   /* RLIMIT_NPROC; 0: not to be set */
	bool swap;            /* the machine counts swap */
	/* For ourselves: /dev and PID 1 come from the bundle. Else for anybody:
	 * the runtime makes /dev, and the command is PID 1. */
	bool hosted;
};

/* The configuration, owned. */
json_t *cx_ocispec_make(const struct cx_ocispec *spec);

/* Asserted on what cx_ocispec_make made: each mount is of a kernel's own file
 * system, or a bind of a name in the bundle that the plan has. Else
 * CX_E_BIND_MOUNT_REFUSED. One without a filter is CX_E_INTERNAL. */
int cx_ocispec_check(const json_t *config, const struct cx_plan *plan,
                     struct cx_err *err);

#endif
