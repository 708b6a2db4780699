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
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "box/step.h"

struct cx_box;

/* Where what a step mounts comes from. There is no kind for a host path. */
enum cx_source {
	CX_SOURCE_NONE,   /* the step mounts nothing */
	CX_SOURCE_LAYER,  /* a layer, name is its digest */
	CX_SOURCE_VOLUME, /* a volume of ours, name has no separator */
	CX_SOURCE_MADE,   /* what box/made.c made: /etc files, mount points */
	CX_SOURCE_KERNEL, /* a fresh file system: tmpfs, proc */
	CX_SOURCE_DEVICE, /* a character device, by name */
};

/* "layer", "volume", ...; "" for none. */
const char *cx_plan_source(enum cx_source source);

enum { CX_PLAN_ITEMS_MAX = 256, CX_PLAN_NAME_MAX = 80 };

struct cx_plan_item {
	enum cx_step step;
	enum cx_source source;
	char name[CX_PLAN_NAME_MAX]; /* of the source; "" when none */
	const char *target;          /* absolute path inside, or NULL */
	bool writable;               /* by the command */
	uint64_t bytes, inodes;      /* bounds of a tmpfs; 0: none */
};

struct cx_plan {
	struct cx_plan_item item[CX_PLAN_ITEMS_MAX];
	size_t count;
};

/* What of the machine the plan depends on. */
struct cx_plan_world {
	bool privileged; /* foreign ids can be mapped */
	bool groups;     /* there is a subtree to make control groups in */
	bool born_in;    /* v2: init is born into its group */
	bool staged;     /* the layers don't stand beside each other */
	bool waits;      /* the command and its volumes come last of all */
};

/* Computes only: no descriptor is used, and none is needed in box. A layer
 * list that doesn't fit is CX_E_INTERNAL. Each layer is an item of step ROOT
 * of its own, top first. */
int cx_plan_make(const struct cx_box *box, const struct cx_plan_world *world,
                 struct cx_plan *ret, struct cx_err *err);

/* Every mount's source is a volume by name, a layer by digest, a device of
 * the list, what we made, or a fresh file system; exactly /workspace, /tmp
 * and /dev/shm are writable. Else CX_E_BIND_MOUNT_REFUSED. */
int cx_plan_check(const struct cx_plan *plan, struct cx_err *err);

/* One line for each item: place, step, source, target, what it does. */
void cx_plan_print(const struct cx_plan *plan, struct cx_buf *ret);

#endif
