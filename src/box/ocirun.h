/*
 * ocirun.h - the backend that hands the sandbox to an OCI runtime (runc, crun,
 * or another of their command line).
 *
 * Theory of operation
 *
 *   launcher   makes the plan, the group, the pipes and the control socket, as
 *              natively; watches in the same way (box/watch.c)
 *   keeper     outlives it; holds the mount namespace of the bundle, and has
 *              the container deleted (box/keeper.c)
 *   stage      builds root and bundle, becomes "RUNTIME run --detach", which
 *              makes the container and ends (box/stage.c)
 *   first      PID 1 in there (box/inner/first.c), a child of the launcher's
 *              by then, as the launcher adopts orphans; waits for its word
 *   finish     goes into the container's namespaces, looks at what the runtime
 *              made, and makes the rest (box/finish.c)
 *
 * Should: give a command what it gets natively, and tell the same of it.
 * Mustn't: hand the runtime a descriptor but first's three and the end of a
 * pipe, an environment of ours, or a path of the host's to mount.
 *
 * Needs root: a runtime of an ordinary user's can't map 10001 alone.
 */
#ifndef CX_BOX_OCIRUN_H
#define CX_BOX_OCIRUN_H

#include "box/box.h"
#include "data/json.h"

/* As cx_box_plan and cx_box_run of box.h, for a box with a runtime. */
int cx_ocirun_plan(const struct cx_box *box, struct cx_plan *ret,
                   struct cx_err *err);
int cx_ocirun_run(const struct cx_box *box, struct cx_report *ret,
                  struct cx_err *err);

/* The configuration that says the same to any runtime, checked; for spec
 * --format oci. Owned. */
int cx_ocirun_describe(const struct cx_box *box, json_t **ret_config,
                       struct cx_err *err);

#endif
