/* event.c - see event.h. */
#include "model/event.h"

#include "base/count.h"
#include "base/hex.h"
#include "base/promise.h"
#include "base/str.h"
#include "model/invisible.h"

void cx_event_start(const char *org_id, const char *user_id,
                    const char *job_id, struct cx_event *ret)
{
	*ret = (struct cx_event){
		.org_id = org_id,
		.user_id = user_id,
		.job_id = job_id,
		.decision = CX_DECISION_DENIED,
		.exit_code = -1,
		.egress_total_bytes = -1,
		.wall_ms = -1,
		.workspace_kb = -1,
	};
}

static int refuse(struct cx_err *err, const char *pointer, const char *right)
{
	cx_err_set(err, CX_E_AUDIT_FIELD_REFUSED, "%s", right);
	return cx_err_at(err, "%s", pointer);
}

static bool is_clean(const char *text, size_t max)
{
	size_t length = strlen(text);

	return length > 0 && length <= max && !cx_str_has_control(text);
}

static bool is_digest(const char *text)
{
	uint8_t byte[32];

	return cx_str_starts(text, "sha256:") &&
	       cx_hex_read(text + strlen("sha256:"), byte, sizeof byte);
}

bool cx_event_is_id(const char *text)
{
	return CX_PROMISE(event_ids, is_clean(text, CX_EVENT_ID_MAX) &&
	                             !cx_invisible_in(text));
}

bool cx_event_is_job(const char *text)
{
	return strlen(text) <= CX_EVENT_JOB_MAX &&
	       cx_str_only(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

bool cx_event_is_cwd(const char *text)
{
	return CX_PROMISE(event_cwd, text[0] == '/' &&
	                             is_clean(text, CX_EVENT_CWD_MAX));
}

static int check_ids(const struct cx_event *event, struct cx_err *err)
{
	static const char id[] = "must be 1 to 256 bytes without controls "
	                         "and what can't be seen";

	if (!event->org_id || !cx_event_is_id(event->org_id))
		return refuse(err, "/organizationId", id);
	if (!event->user_id || !cx_event_is_id(event->user_id))
		return refuse(err, "/actorPrincipalId", id);
	if (!event->job_id || !cx_event_is_job(event->job_id))
		return refuse(err, "/resourceId",
		              "must be 1 to 64 characters of a-z, 0-9 and -");
	if (event->run_id && !cx_event_is_id(event->run_id))
		return refuse(err, "/runId", id);
	return 0;
}

/* Nothing but the refusal is known of a caller without a carrier. */
static int check_surface(const struct cx_event *event, struct cx_err *err)
{
	bool known = !cx_str_same(event->org_id, CX_EVENT_UNIDENTIFIED);

	if (known && !cx_surface_text(event->surface))
		return refuse(err, "/metadata/surface",
		              "must be chat, agent or task");
	if (!known && !cx_str_same(event->user_id, CX_EVENT_UNIDENTIFIED))
		return refuse(err, "/actorPrincipalId",
		              "must be " CX_EVENT_UNIDENTIFIED
		              " as the organization is");
	return 0;
}

static int check_words(const struct cx_event *event, struct cx_err *err)
{
	bool allowed = event->decision == CX_DECISION_ALLOWED;

	if (!allowed && event->decision != CX_DECISION_DENIED)
		return refuse(err, "/decision", "must be allowed or denied");
	if (!CX_PROMISE(event_agrees, allowed == (event->reason == CX_E_NONE)))
		return refuse(err, "/metadata/reason",
		              "must be an error class when denied, else null");
	if (!CX_PROMISE(event_agrees, allowed == (event->termination !=
	                                          CX_TERMINATION_NONE)))
		return refuse(err, "/metadata/termination",
		              "must be a termination when allowed, else null");
	return 0;
}

static int check_numbers(const struct cx_event *event, struct cx_err *err)
{
	static const char right[] = "must be at most 2^53 - 1";

	if (event->exit_code > 255)
		return refuse(err, "/metadata/exitCode", "must be 0 to 255");
	if (event->egress_total_bytes > CX_EVENT_NUMBER_MAX)
		return refuse(err, "/metadata/egressTotalBytes", right);
	if (event->wall_ms > CX_EVENT_NUMBER_MAX)
		return refuse(err, "/metadata/wallMs", right);
	if (event->workspace_kb > CX_EVENT_NUMBER_MAX)
		return refuse(err, "/metadata/workspaceKb", right);
	return 0;
}

int cx_event_check(const struct cx_event *event, struct cx_err *err)
{
	if (check_ids(event, err) < 0 || check_surface(event, err) < 0 ||
	    check_words(event, err) < 0 || check_numbers(event, err) < 0)
		return -1;
	if (event->cwd && !cx_event_is_cwd(event->cwd))
		return refuse(err, "/metadata/cwd",
		              "must be an absolute path without controls");
	if (event->image_digest && !is_digest(event->image_digest))
		return refuse(err, "/metadata/imageDigest",
		              "must be sha256: and 64 hexadecimal digits");
	return 0;
}
