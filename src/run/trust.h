/*
 * trust.h - may this document's command run, and for whom?
 *
 * The document is hostile: of all of it only the carrier's MAC is believed,
 * and what our own store says. Everything here is refusal; nothing is made,
 * and the carrier isn't spent.
 */
#ifndef CX_RUN_TRUST_H
#define CX_RUN_TRUST_H

#include <stdbool.h>

#include "data/json.h"
#include "plane/carrier.h"
#include "plane/registry.h"
#include "run/allowance.h"
#include "run/broker.h"
#include "run/egress.h"

struct cx_trust {
	struct cx_carrier carrier;
	bool is_opened;           /* carrier.claims.session may be believed */
	const char *job_id;       /* of the document, checked; NULL: none */
	enum cx_tier tier;        /* UNKNOWN until it was resolved */
	struct cx_allowance allowance; /* in it */
	int64_t now;
};

/* Shorthand for the session once is_opened. */
const struct cx_session *cx_trust_session(const struct cx_trust *trust);

/*
 * Judges doc. ret is filled as far as it goes, also on failure, so that the
 * refusal can be recorded for whom it met.
 */
int cx_trust_judge(struct cx_broker *broker, const json_t *doc,
                   const struct cx_egress_wish *wish, struct cx_trust *ret,
                   struct cx_err *err);

/* Parts of it: the carrier alone, and that execution isn't off. */
int cx_trust_open(struct cx_broker *broker, const json_t *doc,
                  struct cx_trust *ret, struct cx_err *err);
int cx_trust_identify(struct cx_broker *broker, const json_t *doc,
                      struct cx_trust *ret, struct cx_err *err);

void cx_trust_done(struct cx_trust *trust);

#define CX_AUTO_TRUST __attribute__((cleanup(cx_trust_done)))

/* The document's job: its id, NULL when there is none. */
int cx_trust_job(const json_t *doc, const struct cx_session *session,
                 const char **ret_id, struct cx_err *err);

/* Asks hooks.liveness: CX_E_RUN_NOT_LIVE unless it says yes. */
int cx_trust_ask_liveness(const char *program,
                          const struct cx_session *session,
                          struct cx_err *err);

#endif
