/* wording.c - see wording.h. */
#include "gateway/wording.h"

#include "gateway/brief.h"
#include "gateway/zone.h"
#include "model/credential.h"

static const char *const state_word[] = { "live", "expired", "revoked", NULL };

static const char *const listener_word[] = { "job", "other", "shared", NULL };
static const char *const outcome_word[] = {
	"allow", "deny", "reject", "resolve", NULL,
};

static const struct cx_shape policy_member[] = {
	CX_BRIEF_MEMBERS,
	{ .name = "token", .kind = CX_SHAPE_TEXT, .min = 1,
	  .max = CX_CREDENTIAL_TOKEN_BYTES - 1,
	  .about = "The job's token; default: the request's is the job's." },
	{ .name = "state", .kind = CX_SHAPE_TEXT, .word = state_word,
	  .about = "Whether the job goes on; default live." },
	{ .name = "spent", .kind = CX_SHAPE_BOOL,
	  .about = "The job's ceiling is crossed." },
	{ .name = NULL },
};

static const struct cx_shape request_member[] = {
	{ .name = "target", .kind = CX_SHAPE_TEXT, .max = 65536,
	  .about = "host:port, as CONNECT has it." },
	{ .name = "method", .kind = CX_SHAPE_TEXT, .max = 64,
	  .about = "Default CONNECT." },
	{ .name = "raw", .kind = CX_SHAPE_TEXT, .max = 1 << 20,
	  .about = "The request's bytes, instead of target." },
	{ .name = "rawBase64", .kind = CX_SHAPE_TEXT, .max = 1 << 21,
	  .about = "The same where they aren't text." },
	{ .name = "listener", .kind = CX_SHAPE_TEXT, .word = listener_word,
	  .about = "Where it came in: at the job's own listener (the default "
	           "of target), at another job's, or at one that all share "
	           "(of raw), where only the token attributes." },
	{ .name = NULL },
};

static const struct cx_shape case_member[] = {
	{ .name = "policy", .kind = CX_SHAPE_OBJECT, .required = true,
	  .sub = policy_member, .about = "The job's." },
	{ .name = "request", .kind = CX_SHAPE_OBJECT, .required = true,
	  .sub = request_member, .about = "What it asks for." },
	CX_ZONE_MEMBER,
	{ .name = NULL },
};

const struct cx_shape cx_wording_case = {
	.name = "case", .kind = CX_SHAPE_OBJECT, .sub = case_member,
	.about = "A request under a policy.",
};

static const struct cx_shape name_text = {
	.kind = CX_SHAPE_TEXT, .about = "An address or a name.",
};

static const struct cx_shape upstream_member[] = {
	{ .name = "line", .kind = CX_SHAPE_TEXT, .about = "Its first line." },
	{ .name = "host", .kind = CX_SHAPE_TEXT, .about = "Its Host." },
	{ .name = "fields", .kind = CX_SHAPE_LIST, .sub = &name_text,
	  .about = "Names of the fields that it has, lower case." },
	{ .name = NULL },
};

static const struct cx_shape verdict_member[] = {
	{ .name = "decision", .kind = CX_SHAPE_TEXT, .word = outcome_word,
	  .required = true, .about = "allow; deny: by policy, or there is no "
	  "such host; reject: malformed; resolve: as far as it goes without "
	  "dns, nothing speaks against it." },
	{ .name = "status", .kind = CX_SHAPE_NUMBER, .required = true,
	  .max = 599, .about = "HTTP status of the answer; 0 for resolve." },
	{ .name = "reason", .kind = CX_SHAPE_TEXT, .required = true,
	  .nullable = true, .about = "Why: a class of cx-errors(7); of an "
	  "allow the tier or trusted_upstream; of a reject what is wrong." },
	{ .name = "range", .kind = CX_SHAPE_TEXT,
	  .about = "The protected range, of protected_address." },
	{ .name = "exception", .kind = CX_SHAPE_TEXT,
	  .about = "The id of the trusted upstream that lifted it." },
	{ .name = "pinned", .kind = CX_SHAPE_LIST, .sub = &name_text,
	  .required = true, .about = "The addresses that may be dialled." },
	{ .name = "lookups", .kind = CX_SHAPE_NUMBER, .required = true,
	  .max = 1, .about = "How often the resolver was asked." },
	{ .name = "upstream", .kind = CX_SHAPE_OBJECT, .required = true,
	  .nullable = true, .sub = upstream_member,
	  .about = "A plain request's head as the origin gets it." },
	{ .name = "size", .kind = CX_SHAPE_NUMBER, .about = "Bytes of the "
	  "request, head and body, where its end is known: the next one of "
	  "the connection begins behind them." },
	{ .name = NULL },
};

const struct cx_shape cx_wording_verdict = {
	.name = "verdict", .kind = CX_SHAPE_OBJECT, .sub = verdict_member,
	.about = "What the gateway answers.",
};
