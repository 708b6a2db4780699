/* document.c - see document.h. */
#include "plane/document.h"

#include "base/buf.h"
#include "base/count.h"
#include "base/promise.h"
#include "base/str.h"

static const char *const known[] = {
	"apiVersion", "session", "carrier", "carrierExpiresAt", "environment",
	"layer", "skills", "staged", "egress", "job", "run", "call", "result",
	"results", "error",
};

static bool is_known(const char *key)
{
	for (size_t i = 0; i < CX_COUNT(known); i++)
		if (cx_str_same(key, known[i]))
			return true;
	return cx_str_starts(key, "x-");
}

static int refuse_key(const char *key, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };

	cx_err_set(err, CX_E_INPUT_INVALID,
	           "a document has no such section; take it out, or begin its "
	           "name with x-");
	cx_json_token(&pointer, key);
	return cx_err_at(err, "%.250s", pointer.data);
}

int cx_document_check(const json_t *doc, struct cx_err *err)
{
	const json_t *version = json_object_get(doc, "apiVersion");
	const char *key;
	json_t *value;

	if (!json_is_object(doc))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the document is no object");
	/* jansson asks for a writable object although it writes nothing */
	json_object_foreach((json_t *)(uintptr_t)doc, key, value)
		if (!is_known(key))
			return refuse_key(key, err);
	if (version && !(json_is_string(version) &&
	                 cx_str_same(json_string_value(version), "cx/v1"))) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "apiVersion must be \"cx/v1\"");
		return cx_err_at(err, "/apiVersion");
	}
	return 0;
}

int cx_document_section(const json_t *doc, const char *name, json_t **ret,
                        struct cx_err *err)
{
	json_t *section = json_object_get(doc, name);

	if (section && !json_is_object(section)) {
		cx_err_set(err, CX_E_INPUT_INVALID, "%s must be an object",
		           name);
		return cx_err_at(err, "/%s", name);
	}
	*ret = section;
	return 0;
}

int cx_document_carrier(const json_t *doc, const char **ret_text,
                        size_t *ret_length, struct cx_err *err)
{
	const json_t *carrier = json_object_get(doc, "carrier");

	if (!carrier)
		return cx_err_set(err, CX_E_NO_SESSION,
		                  "the document holds no carrier, and who runs "
		                  "it is believed of nothing else; put before "
		                  "it: cx-seal mint -n --org ID --user ID "
		                  "--surface task |");
	if (!json_is_string(carrier)) {
		cx_err_set(err, CX_E_CARRIER_MALFORMED,
		           "the carrier is no text; pass it on exactly as it "
		           "was minted");
		return cx_err_at(err, "/carrier");
	}
	*ret_text = json_string_value(carrier);
	*ret_length = json_string_length(carrier);
	return 0;
}

static const char *member_of(const struct cx_session *session,
                             const char *name)
{
	if (cx_str_same(name, "orgId"))
		return session->org_id;
	if (cx_str_same(name, "userId"))
		return session->user_id;
	if (cx_str_same(name, "surface"))
		return cx_surface_text(session->surface);
	if (cx_str_same(name, "runId") && session->run_id[0])
		return session->run_id;
	return NULL;
}

int cx_document_agree(const json_t *doc, const struct cx_session *session,
                      struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };
	const char *name;
	json_t *named, *value;

	if (cx_document_section(doc, "session", &named, err) < 0)
		return -1;
	json_object_foreach(named, name, value) {
		const char *ours = member_of(session, name);
		const char *given = json_string_value(value);

		if (CX_PROMISE(session_agrees, ours && given &&
		                               cx_str_same(given, ours)))
			continue;
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "the document's session isn't the one that its "
		           "carrier was minted for; leave session out (and "
		           "--org, --user and the like, which are cx-seal "
		           "mint's), or mint a carrier of it");
		cx_json_token(&pointer, name);
		return cx_err_at(err, "/session%.200s", pointer.data);
	}
	return 0;
}
