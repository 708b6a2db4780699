/*
 * exec.h - a document's commands, run: the verb exec.
 *
 *	decide (order)   carrier, policy, section, image: refuse first
 *	spend            a counted carrier
 *	make (ground)    workspace, host uid, --in
 *	run (launch)     each command in a fresh sandbox, each with its row
 *	take             --out, then the workspace is given back
 */
#ifndef CX_RUN_EXEC_H
#define CX_RUN_EXEC_H

#include "data/json.h"
#include "run/broker.h"
#include "run/order.h"

/* How exec ended, beside what it put into the document. */
struct cx_exec_end {
	int status;    /* for -e: the command's, 122, 124, 125, 137 */
	int signal;    /* the signal that cancelled it, 0 for none */
};

/*
 * Runs doc's commands and puts result (or results) in, and takes carrier out.
 * -1 and *err: the exec was refused or failed; doc has a denied result then,
 * unless a command ran. The end is always filled.
 */
int cx_exec_document(struct cx_broker *broker, json_t *doc,
                     const struct cx_order_flags *flags,
                     struct cx_exec_end *ret_end, struct cx_err *err);

#endif
