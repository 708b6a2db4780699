/*
 * plan.h - a profile as an ordered list of steps, before anything is done.
 *
 * The plan is data: cx-run spec --explain prints it, cx_plan_check asserts
 * claim B5 on it at every dispatch, and box/enter.c carries it out item by
 * item. What isn't in the plan isn't done.
 */
#ifndef CX_BOX_PLAN_H
#define CX_BOX_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct cx_box;

enum cx_step {
	CX_STEP_NONE,
#define CX_STEP(symbol, name, place, about) CX_STEP_##symbol,
#include "box/step.def"
#undef CX_STEP
	CX_STEP_COUNT
};

enum cx_step_place { CX_STEP_OUTSIDE, CX_STEP_INIT, CX_STEP_COMMAND };

/* "root", "exec"; "" for CX_STEP_NONE. */
const char *cx_step_name(enum cx_step step);
const char *cx_step_about(enum cx_step step);
enum cx_step_place cx_step_place(enum cx_step step);

/* Where what a step mounts comes from. There is no kind for a host path. */
enum cx_source {
	CX_SOURCE_NONE,   /* the step mounts nothing */
	CX_SOURCE_LAYER,  /* a layer, name is its digest */
	CX_SOURCE_VOLUME, /* a volume of ours, name has no separator */
	CX_SOURCE_MADE,   /* what box/made.c made: /etc files, mount points */
	CX_SOURCE_KERNEL, /* a fresh file system: tmpfs, proc, overlay */
	CX_SOURCE_DEVICE, /* one of five named character devices */
};

const char *cx_source_name(enum cx_source source);

enum { CX_PLAN_ITEMS_MAX = 256, CX_PLAN_NAME_MAX = 80 };

/* One step, or one of the sources of the step before it. */
struct cx_plan_item {
	enum cx_step step;
	enum cx_source source;
	char name[CX_PLAN_NAME_MAX]; /* of the source, "" when none */
	const char *target;          /* path inside, or NULL; static */
	bool writable;
	int fd;                      /* of the source, borrowed; -1 */
	unsigned long long bytes, inodes; /* of a tmpfs; 0 */
};

struct cx_plan {
	struct cx_plan_item item[CX_PLAN_ITEMS_MAX];
	size_t count;
};

/* The steps for this box. Does nothing but compute; no descriptor is used. */
void cx_plan_make(const struct cx_box *box, struct cx_plan *ret);

/* Every mount's source is a volume by name, a layer by digest, a device of
 * the list or a file system of the kernel's; exactly /workspace, /tmp and
 * /dev/shm are writable. Else CX_E_BIND_MOUNT_REFUSED. */
int cx_plan_check(const struct cx_plan *plan, struct cx_err *err);

/* One line for each item: "init root overlay ...". */
void cx_plan_print(const struct cx_plan *plan, struct cx_buf *ret);

#endif
