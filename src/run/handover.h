/*
 * handover.h - an admitted order on its way to a worker, and its answer.
 *
 * Between the process that holds the keys and those that make sandboxes. What
 * is handed over is the document without its carrier and what was judged of
 * it; what comes back is the document's line.
 */
#ifndef CX_RUN_HANDOVER_H
#define CX_RUN_HANDOVER_H

#include "base/buf.h"
#include "data/json.h"
#include "run/order.h"

enum cx_handover_kind {
	CX_HANDOVER_ORDER,  /* to a worker: one document to be carried out */
	CX_HANDOVER_CANCEL, /* to a worker: end what it runs */
	CX_HANDOVER_ANSWER, /* from it: struct cx_handover_answer, the line */
};

/* The head of an answer. */
struct cx_handover_answer {
	struct cx_err err;    /* CX_E_NONE: it ran */
	struct cx_err audit;  /* CX_E_NONE: its row stands */
};

/* Appends doc and what was judged of it; doc loses its carrier by that. */
void cx_handover_write(const struct cx_broker *broker,
                       const struct cx_order *order, json_t *doc,
                       struct cx_buf *ret);

/* Reads it: both values are owned, and *ret_message holds the texts of
 * *ret_grant. */
int cx_handover_read(const char *text, size_t size, json_t **ret_message,
                     json_t **ret_doc, struct cx_order_grant *ret_grant,
                     struct cx_err *err);

#endif
