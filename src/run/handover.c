/* handover.c - see handover.h. */
#include "run/handover.h"

#include "base/mem.h"

void cx_handover_write(const struct cx_broker *broker,
                       const struct cx_order *order, json_t *doc,
                       struct cx_buf *ret)
{
	const struct cx_session *session = cx_trust_session(&order->trust);
	CX_AUTO_JSON json_t *message = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:I}",
		"orgId", session->org_id, "userId", session->user_id,
		"surface", cx_surface_text(session->surface),
		"ownId", order->own_id, "image", broker->image.digest,
		"tier", cx_tier_text(order->trust.tier),
		"now", (json_int_t)order->trust.now);

	if (*session->run_id)
		json_object_set_new(message, "runId",
		                    json_string(session->run_id));
	if (order->trust.tier != CX_TIER_NONE)
		json_object_set_new(message, "egress", cx_allowance_write(
			&order->trust.allowance));
	if (order->trust.job_id)
		json_object_set_new(message, "jobId",
		                    json_string(order->trust.job_id));
	json_object_del(doc, "carrier");
	json_object_del(doc, "carrierExpiresAt");
	/* one below the other, since a document may be as deep as it may be */
	cx_json_write(message, ret);
	cx_buf_byte(ret, '\n');
	cx_json_write(doc, ret);
}

static int misshapen(struct cx_err *err)
{
	return cx_err_set(err, CX_E_INTERNAL, "an order came misshapen");
}

static bool copy(const json_t *message, const char *name, char *ret,
                 size_t size)
{
	const char *text = cx_json_text(message, name);
	int length = snprintf(ret, size, "%s", text ? text : "");

	return text && length >= 0 && (size_t)length < size;
}

static bool read_grant(const json_t *message, struct cx_order_grant *ret)
{
	struct cx_session *session = &ret->session;
	const char *surface = cx_json_text(message, "surface");
	const char *tier = cx_json_text(message, "tier");

	*ret = (struct cx_order_grant){ 0 };
	if (!copy(message, "orgId", session->org_id,
	          sizeof session->org_id) ||
	    !copy(message, "userId", session->user_id,
	          sizeof session->user_id) ||
	    (json_object_get(message, "runId") &&
	     !copy(message, "runId", session->run_id,
	           sizeof session->run_id)) ||
	    !surface || !cx_surface_find(surface, &session->surface) ||
	    !tier || !cx_tier_find(tier, &ret->tier))
		return false;
	ret->egress = json_object_get(message, "egress");
	if (!ret->egress && ret->tier != CX_TIER_NONE)
		return false;
	ret->own_id = cx_json_text(message, "ownId");
	ret->image = cx_json_text(message, "image");
	ret->job_id = cx_json_text(message, "jobId");
	ret->now = cx_json_number(message, "now", 0);
	return ret->own_id && ret->image;
}

int cx_handover_read(const char *text, size_t size, json_t **ret_message,
                     json_t **ret_doc, struct cx_order_grant *ret_grant,
                     struct cx_err *err)
{
	CX_AUTO_JSON json_t *message = NULL;
	CX_AUTO_JSON json_t *doc = NULL;
	const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
	size_t length = end ? (size_t)(end - text) : 0;

	if (!end)
		return misshapen(err);
	if (cx_json_parse(text, length, "an order", &message, err) < 0 ||
	    cx_json_parse(end + 1, size - length - 1, "a document", &doc,
	                  err) < 0)
		return -1;
	if (!json_is_object(doc) || !read_grant(message, ret_grant))
		return misshapen(err);
	*ret_doc = CX_TAKE(doc);
	*ret_message = CX_TAKE(message);
	return 0;
}
