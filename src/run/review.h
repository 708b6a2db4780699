/*
 * review.h - workspace diff: what a dry run would change, to be committed or
 * discarded.
 */
#ifndef CX_RUN_REVIEW_H
#define CX_RUN_REVIEW_H

#include "run/workspace.h"

extern const struct cx_shape cx_review_shape;

enum cx_review { CX_REVIEW_SHOW, CX_REVIEW_COMMIT, CX_REVIEW_DISCARD };

/*
 * Shows the changes that wait in a workspace, then does with them what is
 * asked: {state: pending, committed or discarded, madeAt, stale, changes}.
 * Exit 66 when none wait; CX_E_WORKSPACE_CHANGED when they can't be committed
 * any more (stale).
 */
int cx_review_changes(struct cx_broker *broker,
                      const struct cx_workspace_words *words,
                      enum cx_review what, json_t **ret_doc,
                      struct cx_err *err);

#endif
