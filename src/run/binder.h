/*
 * binder.h - what a document's command is bound to, by model/binding: the
 * configuration, the run's row and the plane's readiness decide. Of the
 * document only that it declares an environment counts; no agent and no
 * posture of its own word does.
 */
#ifndef CX_RUN_BINDER_H
#define CX_RUN_BINDER_H

#include "data/json.h"
#include "model/binding.h"
#include "plane/registry.h"
#include "run/broker.h"

/* Execution isn't off for this session, nor its placement out of reach. row
 * is the run's, NULL where there is none or it isn't known yet. Whether the
 * plane is ready isn't asked. */
int cx_binder_admit(const struct cx_broker *broker, const json_t *doc,
                    const struct cx_session *session,
                    const struct cx_run_row *row, struct cx_err *err);

/* CX_BOUND_BASE or CX_BOUND_LAYER; a refusal is -1. */
int cx_binder_decide(struct cx_broker *broker, const json_t *doc,
                     const struct cx_session *session,
                     const struct cx_run_row *row, enum cx_bound *ret,
                     struct cx_err *err);

#endif
