/*
 * decide.h - whether a job may reach a destination: the one rule, live and in
 * cx-gateway decide.
 *
 * In order: the job and its credential (407), tier and quota (403), the
 * host's grammar (400), the allowlist by host, the port, local names (403),
 * the answers of the resolver (502, 504), protected ranges (403). Each step
 * is a pure function of a policy and of what is asked. What is allowed may be
 * dialled at the pinned addresses and nowhere else.
 */
#ifndef CX_MODEL_DECIDE_H
#define CX_MODEL_DECIDE_H

#include "model/host.h"
#include "model/tier.h"

enum {
	CX_DECIDE_PINNED_MAX = 8,
	CX_DECIDE_PORTS_MAX = 64,
	CX_DECIDE_PREFIXES_MAX = 64,
	CX_DECIDE_ID_BYTES = 65,
};

/* A line of an allowlist, as plane/allowlist made it: a name stands for itself
 * and all that is under it, an address for itself. */
struct cx_entry {
	struct cx_host host;
	uint16_t port; /* 0: the policy's */
};

/* An exception of the operator: host, port and each address match exactly. */
struct cx_upstream {
	char id[CX_DECIDE_ID_BYTES];
	char host[CX_HOST_NAME_BYTES];
	uint16_t port[CX_DECIDE_PORTS_MAX];
	uint8_t ports;
	struct cx_prefix prefix[CX_DECIDE_PREFIXES_MAX];
	uint8_t prefixes;
};

/* What is the same for all jobs. */
struct cx_terrain {
	const struct cx_upstream *upstream;
	size_t upstreams;
	const struct cx_addr *local; /* our own addresses */
	size_t locals;
	const struct cx_prefix *nat64;
	size_t nat64s;
};

struct cx_policy {
	enum cx_tier tier;
	const struct cx_entry *entry;
	size_t entries;
	uint16_t port[CX_DECIDE_PORTS_MAX]; /* none: 80 and 443 */
	uint8_t ports;
	const struct cx_terrain *terrain;
};

enum cx_attribution {
	CX_ATTRIBUTION_JOB,      /* by its listener, its token, or both */
	CX_ATTRIBUTION_NONE,
	CX_ATTRIBUTION_UNKNOWN,  /* a token that nobody registered */
	CX_ATTRIBUTION_EXPIRED,
	CX_ATTRIBUTION_MISMATCH, /* a token of another job than the listener */
	CX_ATTRIBUTION_REVOKED,
};

enum cx_lookup {
	CX_LOOKUP_FOUND,
	CX_LOOKUP_NOT_FOUND,
	CX_LOOKUP_ERROR,
	CX_LOOKUP_TIMEOUT,
};

enum cx_outcome {
	CX_OUTCOME_ALLOW,
	CX_OUTCOME_DENY,    /* by policy, or there is no such thing */
	CX_OUTCOME_REJECT,  /* malformed */
	CX_OUTCOME_RESOLVE, /* so far nothing speaks against it: look it up */
};

struct cx_target {
	struct cx_host host;
	uint16_t port;
};

struct cx_judgement {
	enum cx_outcome outcome;
	uint16_t status;       /* of the answer; 200 for an allow */
	const char *reason;    /* a class of err.def, or of a rejection a word;
	                          of an allow the tier or trusted_upstream */
	const char *range;     /* the protected one, or NULL */
	const struct cx_upstream *upstream; /* that lifted it, or NULL */
	uint8_t pinned;
	struct cx_addr pin[CX_DECIDE_PINNED_MAX];
};

/* Who asks, and whether he may go anywhere at all. RESOLVE: go on. */
void cx_decide_job(enum cx_attribution attribution,
                   const struct cx_policy *policy, bool spent,
                   struct cx_judgement *ret);

/* An authority ("host:port", or "host" where default_port isn't 0). RESOLVE:
 * *ret_target is to be looked up; ALLOW: it is an address, pinned. */
void cx_decide_target(const struct cx_policy *policy, const char *authority,
                      size_t size, uint16_t default_port,
                      struct cx_target *ret_target, struct cx_judgement *ret);

/* The same of a target that was read already (transparent mode, SNI). */
void cx_decide_known(const struct cx_policy *policy,
                     const struct cx_target *target,
                     struct cx_judgement *ret);

/* What the resolver said: every address is judged, one protected refuses all;
 * the first eight are pinned. */
void cx_decide_answers(const struct cx_policy *policy,
                       const struct cx_target *target, enum cx_lookup lookup,
                       const struct cx_addr *answer, size_t answers,
                       struct cx_judgement *ret);

/* The policy may admit a host of this name at some port, as far as that is
 * known before it is looked up. */
bool cx_decide_may_admit(const struct cx_policy *policy, const char *name);

/* An entry covers the host, whatever the port. */
bool cx_decide_covers(const struct cx_entry *entry, const struct cx_host *host);

const char *cx_decide_outcome(enum cx_outcome outcome);

#endif
