/*
 * event.h - the audit event: what is kept of a command, and nothing else.
 *
 * struct cx_event has exactly the fields that a durable line may hold. What
 * isn't here (command text, output, destinations, credentials) can't reach the
 * log, because this struct is the only way in; model/row.h makes the line.
 *
 * decision says whether the broker let the command run, termination how it
 * ended, reason why it was refused.
 */
#ifndef CX_MODEL_EVENT_H
#define CX_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/decision.h"
#include "model/surface.h"
#include "model/termination.h"
#include "model/tier.h"

enum {
	CX_EVENT_ID_MAX = 256,   /* bytes of orgId, userId, runId */
	CX_EVENT_JOB_MAX = 64,   /* bytes of a job id, [a-z0-9-] */
	CX_EVENT_CWD_MAX = 4095, /* bytes */
};

/* Both ids of a record for which no carrier could be opened. */
#define CX_EVENT_UNIDENTIFIED "cx:unidentified"

/* The largest number that every JSON reader keeps exact: 2^53 - 1. */
#define CX_EVENT_NUMBER_MAX INT64_C(9007199254740991)

/* All texts are borrowed. Numbers below 0 are null. */
struct cx_event {
	const char *org_id;       /* organizationId, an id as a session's */
	const char *user_id;      /* actorPrincipalId, likewise */
	const char *job_id;       /* resourceId */
	const char *run_id;       /* NULL when the session has none */
	enum cx_decision decision;
	enum cx_surface surface;  /* NONE only when unidentified */
	const char *cwd;          /* absolute, no control; NULL when unknown */
	enum cx_class reason;     /* exactly when denied, else CX_E_NONE */
	int exit_code;            /* 0..255 */
	enum cx_termination termination; /* exactly when allowed */
	const char *image_digest; /* "sha256:<64 hex>"; NULL when unknown */
	enum cx_tier egress_mode;
	int64_t egress_total_bytes;
	int64_t wall_ms;
	int64_t workspace_kb;
};

/* An event with every optional field null, denied, for these ids. */
void cx_event_start(const char *org_id, const char *user_id,
                    const char *job_id, struct cx_event *ret);

/* Every field is within its grammar, bounds and enumeration, and decision,
 * reason and termination agree; else audit_field_refused with its pointer. */
int cx_event_check(const struct cx_event *event, struct cx_err *err);

/* The grammars by themselves: an organization, user or run id; a job id; a
 * folder. */
bool cx_event_is_id(const char *text);
bool cx_event_is_job(const char *text);
bool cx_event_is_cwd(const char *text);

#endif
