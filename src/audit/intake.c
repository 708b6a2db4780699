/* intake.c - see intake.h. */
#include "audit/intake.h"

#include "base/promise.h"

static const char *const actor_type[] = { "model", NULL };
static const char *const auth_source[] = { "agent", NULL };
static const char *const resource_type[] = { "execution_sandbox", NULL };
static const char *const operation[] = { "sandbox_execute", NULL };

static bool is_class(const char *text)
{
	return cx_err_find(text) != CX_E_NONE;
}

#define TEXT(name_, about_, ...) \
	{ .name = name_, .kind = CX_SHAPE_TEXT, .required = true, \
	  .about = about_, ##__VA_ARGS__ }
#define COUNT(name_, max_, about_) \
	{ .name = name_, .kind = CX_SHAPE_NUMBER, .required = true, \
	  .nullable = true, .about = about_, .max = max_ }

static const struct cx_shape metadata[] = {
	TEXT("surface", "Where the session came from; null when unidentified.",
	     .nullable = true, .word = cx_surface_word + 1),
	TEXT("cwd", "The folder that the command began in.", .nullable = true,
	     .fits = cx_event_is_cwd, .pattern = "^/[^\\u0000-\\u001f]*$"),
	TEXT("reason", "Why it was refused, an error class; null when it "
	     "wasn't.", .nullable = true, .fits = is_class,
	     .pattern = "^[a-z0-9_]+$"),
	COUNT("exitCode", 255, "Its exit status, 128+n for signal n; null "
	      "when it didn't start."),
	TEXT("termination", "How it ended; null when it was refused.",
	     .nullable = true, .word = cx_termination_word + 1),
	TEXT("imageDigest", "The image that ran; null when refused before it "
	     "was known.", .nullable = true, .min = 71, .max = 71,
	     .pattern = "^sha256:[0-9a-f]{64}$"),
	TEXT("egressMode", "How far it could reach.", .nullable = true,
	     .word = cx_tier_word + 1),
	COUNT("egressTotalBytes", CX_EVENT_NUMBER_MAX,
	      "Bytes through the gateway, both directions."),
	COUNT("wallMs", CX_EVENT_NUMBER_MAX, "Milliseconds that it ran."),
	COUNT("workspaceKb", CX_EVENT_NUMBER_MAX,
	      "KiB in its workspace afterwards."),
	{ .name = NULL },
};

static const struct cx_shape event[] = {
	TEXT("organizationId", "The organization; cx:unidentified without a "
	     "carrier.", .min = 1, .max = CX_EVENT_ID_MAX,
	     .fits = cx_event_is_id),
	TEXT("actorPrincipalId", "The user that the model acted for.",
	     .min = 1, .max = CX_EVENT_ID_MAX, .fits = cx_event_is_id),
	TEXT("actorPrincipalType", "Always model.", .word = actor_type),
	TEXT("authSource", "Always agent.", .word = auth_source),
	TEXT("resourceType", "Always execution_sandbox.",
	     .word = resource_type),
	TEXT("resourceId", "The job.", .min = 1, .max = CX_EVENT_JOB_MAX,
	     .fits = cx_event_is_job, .pattern = "^[a-z0-9-]+$"),
	TEXT("operation", "Always sandbox_execute.", .word = operation),
	TEXT("decision", "Whether the command was let run.",
	     .word = cx_decision_word + 1),
	{ .name = "runId", .kind = CX_SHAPE_TEXT, .min = 1,
	  .max = CX_EVENT_ID_MAX, .fits = cx_event_is_id,
	  .about = "The run, when the session has one." },
	{ .name = "metadata", .kind = CX_SHAPE_OBJECT, .required = true,
	  .sub = metadata, .about = "Exactly these ten." },
	{ .name = NULL },
};

const struct cx_shape cx_intake_shape = {
	.name = "event", .kind = CX_SHAPE_OBJECT, .sub = event,
	.about = "What is kept of one command, and nothing else.",
};

static const struct cx_shape row[] = {
	{ .name = "index", .kind = CX_SHAPE_NUMBER, .required = true,
	  .max = CX_EVENT_NUMBER_MAX, .about = "Its number in the log." },
	TEXT("at", "When it was recorded (UTC); null when that is damaged.",
	     .nullable = true),
	{ .name = "event", .kind = CX_SHAPE_OBJECT, .required = true,
	  .sub = event, .about = "The event." },
	{ .name = NULL },
};

const struct cx_shape cx_intake_row_shape = {
	.name = "row", .kind = CX_SHAPE_OBJECT, .sub = row,
	.about = "One record of the log.",
};

static void fill_metadata(const json_t *given, struct cx_event *ret)
{
	const char *surface = cx_json_text(given, "surface");
	const char *reason = cx_json_text(given, "reason");
	const char *termination = cx_json_text(given, "termination");
	const char *tier = cx_json_text(given, "egressMode");

	if (surface)
		cx_surface_find(surface, &ret->surface);
	if (reason)
		ret->reason = cx_err_find(reason);
	if (termination)
		cx_termination_find(termination, &ret->termination);
	if (tier)
		cx_tier_find(tier, &ret->egress_mode);
	ret->cwd = cx_json_text(given, "cwd");
	ret->image_digest = cx_json_text(given, "imageDigest");
	ret->exit_code = (int)cx_json_number(given, "exitCode", -1);
	ret->egress_total_bytes = cx_json_number(given, "egressTotalBytes", -1);
	ret->wall_ms = cx_json_number(given, "wallMs", -1);
	ret->workspace_kb = cx_json_number(given, "workspaceKb", -1);
}

int cx_intake_event(const json_t *document, struct cx_event *ret,
                    struct cx_err *err)
{
	const char *decision;

	if (!CX_PROMISE(event_closed,
	                cx_shape_check(&cx_intake_shape, document, "",
	                               CX_E_AUDIT_FIELD_REFUSED, err) == 0))
		return -1;
	cx_event_start(cx_json_text(document, "organizationId"),
	               cx_json_text(document, "actorPrincipalId"),
	               cx_json_text(document, "resourceId"), ret);
	ret->run_id = cx_json_text(document, "runId");
	decision = cx_json_text(document, "decision");
	if (decision)
		cx_decision_find(decision, &ret->decision);
	fill_metadata(json_object_get(document, "metadata"), ret);
	return cx_event_check(ret, err);
}
