/*
 * inventory.h - all workspaces: what there is, and collecting what nobody will
 * use again.
 */
#ifndef CX_RUN_INVENTORY_H
#define CX_RUN_INVENTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"

extern const struct cx_shape cx_inventory_list_shape;
extern const struct cx_shape cx_inventory_gone_shape;

/* {workspaces: [{orgId, userId, runId, jobId or name, state, busy, pending,
 * kib, inodes, madeAt, usedAt}]}, of one organization or (org NULL) all. */
int cx_inventory_list(struct cx_broker *broker, const char *org,
                      json_t **ret_doc, struct cx_err *err);

struct cx_inventory_rule {
	int64_t unused_s;  /* also those that weren't used for so long; 0: no */
	bool named;        /* of these, those with a name as well */
	bool dry_run;      /* only say */
};

/*
 * Collects what nobody will use again: workspaces of ended or unknown runs and
 * jobs, of dead launchers, half-made ones; and what the rule adds. Never one
 * that is in use or waited for. {removed: [...], kept: n}.
 */
int cx_inventory_gc(struct cx_broker *broker,
                    const struct cx_inventory_rule *rule, json_t **ret_doc,
                    struct cx_err *err);

#endif
