/*
 * shelf.h - all workspaces, for listing and collection.
 */
#ifndef CX_STORE_SHELF_H
#define CX_STORE_SHELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/label.h"
#include "store/state.h"

/* One workspace, while it is shown. */
struct cx_shelf_item {
	int org_fd;                   /* borrowed: the folder that it is in */
	int folder_fd;                /* borrowed: <key>/ */
	const char *key;
	const struct cx_label *label; /* NULL: it passes with its command, or a
	                                 killed process left it half made */
	bool dropped;                 /* waits for its last command */
	bool busy;                    /* a command, or another, holds it */
};

/* Shows every workspace there is, half-made and half-removed ones as well.
 * A visit that fails ends it. */
typedef int cx_shelf_visit(const struct cx_shelf_item *item, void *context,
                           struct cx_err *err);
int cx_shelf_each(const struct cx_state *state, cx_shelf_visit *visit,
                  void *context, struct cx_err *err);

/* Collects what is shown, unless somebody holds it; *ret_gone says which. */
int cx_shelf_collect(const struct cx_shelf_item *item, bool *ret_gone,
                     struct cx_err *err);

#endif
