/* revoke.c - see revoke.h. */
#include "seal/revoke.h"

#include "base/clock.h"
#include "plane/carrier.h"
#include "plane/document.h"

int cx_revoke_ids(struct cx_desk *desk, char *const *jti, size_t count,
                  json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_object();
	json_t *list = json_array();
	int64_t now;

	json_object_set_new(doc, "revoked", list);
	if (cx_clock_now(&now, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (cx_carrier_revoke(&desk->sealer, jti[i], now, err) < 0)
			return -1;
		json_array_append_new(list, json_string(jti[i]));
	}
	*ret_doc = json_incref(doc);
	return 0;
}

int cx_revoke_document(struct cx_desk *desk, json_t *doc, struct cx_err *err)
{
	CX_AUTO_CARRIER struct cx_carrier carrier = { .counter_count = 0 };
	struct cx_sealer *sealer = &desk->sealer;
	const char *text;
	size_t length;
	int64_t now;
	int result;

	if (cx_document_check(doc, err) < 0 ||
	    cx_document_carrier(doc, &text, &length, err) < 0 ||
	    cx_clock_now(&now, err) < 0)
		return -1;
	result = cx_carrier_open(sealer, text, length, now, CX_CARRIER_CHECK,
	                         CX_CARRIER_EXECUTE, &carrier, err);
	if (result < 0 && err->code == CX_E_CARRIER_WRONG_AUDIENCE)
		result = cx_carrier_open(sealer, text, length, now,
		                         CX_CARRIER_CHECK, CX_CARRIER_READ,
		                         &carrier, err);
	if (result < 0 || cx_carrier_revoke(sealer, carrier.claims.jti, now,
	                                    err) < 0)
		return -1;
	json_object_del(doc, "carrier");
	json_object_del(doc, "carrierExpiresAt");
	return 0;
}
