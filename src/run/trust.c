/* trust.c - see trust.h. */
#include "run/trust.h"

#include "base/clock.h"
#include "base/promise.h"
#include "base/str.h"
#include "plane/document.h"
#include "run/binder.h"
#include "run/hook.h"

const struct cx_session *cx_trust_session(const struct cx_trust *trust)
{
	return &trust->carrier.claims.session;
}

int cx_trust_open(struct cx_broker *broker, const json_t *doc,
                  struct cx_trust *ret, struct cx_err *err)
{
	const char *text;
	size_t length;

	*ret = (struct cx_trust){ 0 };
	if (cx_document_check(doc, err) < 0 ||
	    cx_document_carrier(doc, &text, &length, err) < 0 ||
	    cx_clock_now(&ret->now, err) < 0 ||
	    cx_carrier_open(&broker->sealer, text, length, ret->now,
	                    CX_CARRIER_CHECK, broker->use,
	                    &ret->carrier, err) < 0)
		return -1;
	ret->is_opened = true;
	return cx_document_agree(doc, cx_trust_session(ret), err);
}

int cx_trust_identify(struct cx_broker *broker, const json_t *doc,
                      struct cx_trust *ret, struct cx_err *err)
{
	if (cx_trust_open(broker, doc, ret, err) < 0)
		return -1;
	return cx_binder_admit(broker, doc, cx_trust_session(ret), NULL, err);
}

/* The operator's own program in place of the registry. */
int cx_trust_ask_liveness(const char *program,
                          const struct cx_session *session,
                          struct cx_err *err)
{
	CX_AUTO_JSON json_t *question = json_pack(
		"{s:s, s:s, s:s, s:s}", "orgId", session->org_id, "userId",
		session->user_id, "runId", session->run_id, "surface",
		cx_surface_text(session->surface));

	if (CX_PROMISE(liveness_hook, cx_hook_ask(program, question)))
		return 0;
	return cx_err_set(err, CX_E_RUN_NOT_LIVE,
	                  "hooks.liveness doesn't say that the run is live");
}

/* The session's run; *ret stays empty when it has none. */
static int check_run(struct cx_broker *broker,
                     const struct cx_session *session, struct cx_run_row *ret,
                     struct cx_err *err)
{
	const char *liveness = broker->config.hook_liveness;

	if (session->surface != CX_SURFACE_AGENT)
		return 0;
	if (!liveness)
		return cx_registry_check_run(&broker->db, session, ret, err);
	if (cx_trust_ask_liveness(liveness, session, err) < 0)
		return -1;
	/* it says that the run is live, and nothing of agent and posture */
	return cx_registry_look_run(&broker->db, session, ret, err);
}

int cx_trust_job(const json_t *doc, const struct cx_session *session,
                 const char **ret_id, struct cx_err *err)
{
	json_t *job = NULL;
	const char *id;

	*ret_id = NULL;
	if (cx_document_section(doc, "job", &job, err) < 0)
		return -1;
	if (!job)
		return 0;
	id = cx_json_text(job, "id");
	if (!id || !CX_PROMISE(volume_name, cx_registry_is_id(id))) {
		cx_err_set(err, CX_E_INPUT_INVALID, "job.id must be the id "
		           "that cx-run open gave");
		return cx_err_at(err, "/job/id");
	}
	if (*session->run_id) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "a session that names a run has no job");
		return cx_err_at(err, "/job");
	}
	*ret_id = id;
	return 0;
}

static int check_job(struct cx_broker *broker, const json_t *doc,
                     struct cx_trust *ret, struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(ret);

	if (cx_trust_job(doc, session, &ret->job_id, err) < 0)
		return -1;
	if (!ret->job_id)
		return 0;
	return cx_registry_check_job(&broker->db, session, ret->job_id, err);
}

/*
 * What a section promises must be there, and a product must be one that our
 * store can vouch for: until cx-build keeps provenance and cx-stage manifests,
 * it can vouch for none, so none is used.
 */
static int check_products(const json_t *doc, enum cx_bound bound,
                          struct cx_err *err)
{
	const struct {
		const char *section, *product;
		bool asked;
		enum cx_class absent, untrusted;
		const char *text;
	} rule[] = {
		{ "environment", "layer", bound == CX_BOUND_LAYER,
		  CX_E_ENVIRONMENT_UNAVAILABLE, CX_E_ENVIRONMENT_UNTRUSTED,
		  "the layer has no provenance in this store" },
		{ "skills", "staged", json_object_get(doc, "skills") != NULL,
		  CX_E_SKILLS_UNSTAGED, CX_E_DIGEST_MISMATCH,
		  "no such skills are staged in this store" },
	};

	for (size_t i = 0; i < 2; i++) {
		bool made = json_object_get(doc, rule[i].product) != NULL;

		if (rule[i].asked && !CX_PROMISE(products_required, made)) {
			cx_err_set(err, rule[i].absent, "%s is declared, and "
			           "the document has no %s; nothing runs "
			           "without what it declares",
			           rule[i].section, rule[i].product);
			return cx_err_at(err, "/%s", rule[i].section);
		}
		if (!CX_PROMISE(products_trusted, !made)) {
			cx_err_set(err, rule[i].untrusted, "%s",
			           rule[i].text);
			return cx_err_at(err, "/%s", rule[i].product);
		}
	}
	return 0;
}

int cx_trust_judge(struct cx_broker *broker, const json_t *doc,
                   const struct cx_egress_wish *wish, struct cx_trust *ret,
                   struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(ret);
	struct cx_run_row row = { .state = CX_REGISTRY_LIVE };
	enum cx_bound bound;
	json_t *egress = NULL;

	if (cx_trust_identify(broker, doc, ret, err) < 0 ||
	    check_run(broker, session, &row, err) < 0 ||
	    cx_binder_decide(broker, doc, session, &row, &bound, err) < 0 ||
	    check_job(broker, doc, ret, err) < 0 ||
	    check_products(doc, bound, err) < 0 ||
	    cx_document_section(doc, "egress", &egress, err) < 0 ||
	    cx_egress_resolve(egress, wish, &broker->config, session->org_id,
	                      &ret->carrier.caveats, &ret->tier, err) < 0 ||
	    cx_allowance_make(egress, wish, &broker->config, session->org_id,
	                      &ret->carrier.caveats, ret->tier,
	                      &ret->allowance, err) < 0)
		return -1;
	return cx_egress_require(ret->tier, &broker->config, err);
}

void cx_trust_done(struct cx_trust *trust)
{
	cx_allowance_done(&trust->allowance);
	if (trust->is_opened)
		cx_carrier_free(&trust->carrier);
	trust->is_opened = false;
}
