/*
 * result.h - the result section: what a command came to, as JSON.
 */
#ifndef CX_RUN_RESULT_H
#define CX_RUN_RESULT_H

#include "box/report.h"
#include "data/json.h"
#include "data/shape.h"
#include "model/event.h"
#include "model/tier.h"

/* Its members, in the order in which they are written. */
extern const struct cx_shape cx_result_member[];

/* What is known before a command ends. */
struct cx_result_facts {
	const char *job_id;
	const char *image_digest;
	json_t *layers;             /* list of digests; taken */
	const char *profile_digest;
	enum cx_tier tier;
};

/* {decision: denied, reason, tainted: true, the rest null}; owned. */
json_t *cx_result_denied(enum cx_class reason);

/* The result of a command that runs, for cx_result_ran to fill in; owned. */
json_t *cx_result_runs(const struct cx_result_facts *facts);

/* It ended. egress_bytes: -1 where it isn't known. */
void cx_result_ran(json_t *result, const struct cx_report *report,
                   int64_t workspace_kib, int64_t egress_bytes);

/* The exit status of cx-run -e for it. */
int cx_result_status(const json_t *result);

#endif
