/* admission.c - see admission.h. */
#include "audit/admission.h"

#include <errno.h>

#include "base/clock.h"
#include "plane/carrier.h"
#include "plane/document.h"
#include "sys/confine.h"

/* What opening stands on. Without a state folder there are no keys. */
struct stand {
	struct cx_state state;
	struct cx_config config;
	struct cx_db db;
	struct cx_sealer sealer;
};

static int open_stand(struct stand *stand, struct cx_err *err)
{
	if (cx_confine_memory() < 0)
		return cx_err_sys(err, CX_E_INTERNAL,
		                  "keep our memory from others");
	if (cx_config_load(&stand->config, err) < 0)
		return -1;
	if (cx_state_find(&stand->state, err) < 0 && err->sys != ENOENT)
		return -1;
	stand->db.state = &stand->state;
	stand->sealer = (struct cx_sealer){
		.state = &stand->state, .config = &stand->config,
		.db = &stand->db,
	};
	return 0;
}

static void close_stand(struct stand *stand)
{
	cx_sealer_done(&stand->sealer);
	cx_db_done(&stand->db);
	cx_config_done(&stand->config);
	cx_state_done(&stand->state);
}

static int admit(struct stand *stand, const json_t *doc,
                 struct cx_session *ret_session, struct cx_err *err)
{
	CX_AUTO_CARRIER struct cx_carrier carrier = { .counter_count = 0 };
	const char *text;
	size_t length;
	int64_t now;

	if (cx_document_check(doc, err) < 0 ||
	    cx_document_carrier(doc, &text, &length, err) < 0 ||
	    cx_clock_now(&now, err) < 0 ||
	    cx_carrier_open(&stand->sealer, text, length, now,
	                    CX_CARRIER_CHECK, CX_CARRIER_READ, &carrier,
	                    err) < 0 ||
	    cx_document_agree(doc, &carrier.claims.session, err) < 0)
		return -1;
	*ret_session = carrier.claims.session;
	return 0;
}

int cx_admission_open(const json_t *doc, struct cx_session *ret_session,
                      struct cx_err *err)
{
	struct stand stand = { .state = CX_STATE_NONE };
	int result = open_stand(&stand, err);

	if (result == 0)
		result = admit(&stand, doc, ret_session, err);
	close_stand(&stand);
	return result;
}
