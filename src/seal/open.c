/* open.c - see open.h. */
#include "seal/open.h"

#include "base/clock.h"
#include "base/str.h"
#include "model/narrow.h"
#include "plane/document.h"

int cx_open_read(const char *use, enum cx_carrier_use *ret,
                 struct cx_err *err)
{
	if (!use || cx_str_same(use, "execute"))
		*ret = CX_CARRIER_EXECUTE;
	else if (cx_str_same(use, "read"))
		*ret = CX_CARRIER_READ;
	else
		return cx_err_set(err, CX_E_USAGE,
		                  "--use must be execute or read");
	return 0;
}

static int refuse(const char *what, const char *pointer, struct cx_err *err)
{
	cx_err_set(err, CX_E_CAVEAT_REFUSED,
	           "the carrier was narrowed to %s than the document asks "
	           "for; ask for less, or mint a new one", what);
	return cx_err_at(err, "%s", pointer);
}

static int judge_hosts(const struct cx_caveats *caveats,
                       const json_t *egress, struct cx_err *err)
{
	const json_t *hosts = json_object_get(egress, "hosts");

	for (size_t i = 0; i < json_array_size(hosts); i++) {
		const json_t *host = json_array_get(hosts, i);

		if (!json_is_string(host) ||
		    !cx_narrow_admits_host(caveats, json_string_value(host)))
			return refuse("other hosts", "/egress/hosts", err);
	}
	return 0;
}

static int judge_egress(const struct cx_caveats *caveats, const json_t *doc,
                        struct cx_err *err)
{
	const char *text;
	enum cx_tier tier;
	json_t *egress;

	if (cx_document_section(doc, "egress", &egress, err) < 0)
		return -1;
	text = cx_json_text(egress, "tier");
	if (text && (!cx_tier_find(text, &tier) ||
	             !cx_narrow_admits_tier(caveats, tier)))
		return refuse("a lower tier", "/egress/tier", err);
	return judge_hosts(caveats, egress, err);
}

static int judge_document(const struct cx_caveats *caveats, const json_t *doc,
                          struct cx_err *err)
{
	json_t *layer, *staged;
	const char *image, *skills;

	if (cx_document_section(doc, "layer", &layer, err) < 0 ||
	    cx_document_section(doc, "staged", &staged, err) < 0)
		return -1;
	image = cx_json_text(layer, "imageDigest");
	skills = cx_json_text(staged, "digest");
	if (image && !cx_narrow_admits_image(caveats, image))
		return refuse("another image", "/layer/imageDigest", err);
	if (skills && !cx_narrow_admits_skills(caveats, skills))
		return refuse("other skills", "/staged/digest", err);
	return judge_egress(caveats, doc, err);
}

static json_t *session_of(const struct cx_session *session)
{
	json_t *object = json_object();

	json_object_set_new(object, "orgId", json_string(session->org_id));
	json_object_set_new(object, "userId", json_string(session->user_id));
	json_object_set_new(object, "surface",
	                    json_string(cx_surface_text(session->surface)));
	if (session->run_id[0])
		json_object_set_new(object, "runId",
		                    json_string(session->run_id));
	return object;
}

/* CHECK first: what the document is refused for must not spend the carrier. */
static int open_text(struct cx_open_task *task, const char *text,
                     size_t length, json_t *doc, struct cx_err *err)
{
	CX_AUTO_CARRIER struct cx_carrier carrier = { .counter_count = 0 };
	struct cx_sealer *sealer = &task->desk->sealer;
	int64_t now = cx_clock_wall_ms() / 1000;

	if (cx_desk_look(task->desk, err) < 0 ||
	    cx_carrier_open(sealer, text, length, now, CX_CARRIER_CHECK,
	                    task->use, &carrier, err) < 0 ||
	    cx_document_agree(doc, &carrier.claims.session, err) < 0 ||
	    judge_document(&carrier.caveats, doc, err) < 0 ||
	    cx_carrier_spend(sealer, &carrier, now, err) < 0)
		return -1;
	json_object_del(doc, "carrier");
	json_object_del(doc, "carrierExpiresAt");
	json_object_set_new(doc, "session",
	                    session_of(&carrier.claims.session));
	return 0;
}

int cx_open_document(struct cx_open_task *task, json_t *doc,
                     struct cx_err *err)
{
	const char *text = NULL;
	size_t length = 0;
	int result = -1;

	if (cx_document_check(doc, err) == 0 &&
	    cx_document_carrier(doc, &text, &length, err) == 0)
		result = open_text(task, text, length, doc, err);
	if (result < 0)
		json_object_del(doc, "session"); /* only a caller's word */
	return result;
}

int cx_open_bare(struct cx_open_task *task, const char *text, size_t size,
                 json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_object();

	json_object_set_new(doc, "apiVersion", json_string("cx/v1"));
	if (size > 0 && text[size - 1] == '\n') {
		size--;
		if (size > 0 && text[size - 1] == '\r')
			size--;
	}
	if (open_text(task, text, size, doc, err) < 0)
		return -1;
	*ret_doc = json_incref(doc);
	return 0;
}
