/*
 * gate.h - the verbs open and close: a run or a job begins and ends.
 *
 * Both check the carrier without spending it. A session that names a run opens
 * that run; any other opens a job, whose id goes into the document.
 */
#ifndef CX_RUN_GATE_H
#define CX_RUN_GATE_H

#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"

/* The members of job. */
extern const struct cx_shape cx_gate_job_member[];

/* agent (NULL: not said) is the operator's word, never the document's. */
int cx_gate_open(struct cx_broker *broker, json_t *doc, const char *agent,
                 struct cx_err *err);

/*
 * Ends the run or the document's job and collects its workspace, unless a
 * command runs in it: that one collects it. *ret_waits says so. Closing again
 * changes nothing.
 */
int cx_gate_close(struct cx_broker *broker, json_t *doc, bool *ret_waits,
                  struct cx_err *err);

#endif
