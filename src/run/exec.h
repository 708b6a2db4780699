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

/* Two ids, each of its bytes quoted for a shell. */
enum { CX_EXEC_WHERE_MAX = 2 * 4 * 256 + 64 };

/* How exec ended, beside what it put into the document. */
struct cx_exec_end {
	int status;    /* for -e: the command's, 122, 124, 125, 137 */
	int signal;    /* the signal that cancelled it, 0 for none */
	char where[CX_EXEC_WHERE_MAX]; /* of a dry run that is kept */
};

/*
 * Runs doc's commands and puts result (or results) in, and takes carrier out.
 * -1 and *err: the exec was refused or failed; doc has a denied result then,
 * unless a command ran. The end is always filled.
 */
int cx_exec_document(struct cx_broker *broker, json_t *doc,
                     const struct cx_order_flags *flags,
                     struct cx_exec_end *ret_end, struct cx_err *err);

/*
 * The same in two processes, which hold different things: who has the keys
 * judges and spends, who has none carries out.
 *
 * cx_exec_admit: 0, and *ret may be handed over (run/handover.h); -1 and *err,
 * and doc has its denied result, which is recorded. *ret is to be given to
 * cx_order_done either way.
 */
int cx_exec_admit(struct cx_broker *broker, json_t *doc,
                  const struct cx_order_flags *flags, struct cx_order *ret,
                  struct cx_err *err);

/* Is told that doc is as it will be, before what was made for it is taken away,
 * which may take its time. why: the error of an exec that failed; or NULL. */
struct cx_exec_ready {
	void (*tell)(void *context, json_t *doc, const struct cx_err *why);
	void *context;
};

/* Carries an admitted order out; cancel_fd is readable once it is to end. As
 * cx_exec_document, but for the signals, which are the caller's. */
void cx_exec_order(struct cx_broker *broker, json_t *doc,
                   const struct cx_order *order, int cancel_fd,
                   const struct cx_exec_ready *ready);

/* Puts a denied result for why into doc, and records it. */
void cx_exec_refuse(struct cx_broker *broker, json_t *doc,
                    const struct cx_order *order, const struct cx_err *why);

#endif
