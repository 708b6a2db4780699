/* trust.c - see trust.h. */
#include "run/trust.h"

#include "base/clock.h"
#include "base/promise.h"
#include "base/str.h"
#include "plane/document.h"
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
	                    CX_CARRIER_CHECK, CX_CARRIER_EXECUTE,
	                    &ret->carrier, err) < 0)
		return -1;
	ret->is_opened = true;
	return 0;
}

/* Switched off: a declared environment gives it a name of its own. */
static int refuse_off(const json_t *doc, const char *text, struct cx_err *err)
{
	if (json_object_get(doc, "environment"))
		return cx_err_set(err, CX_E_ENVIRONMENT_AGENT_DISABLED,
		                  "an environment is declared, but %s", text);
	return cx_err_set(err, CX_E_EXECUTION_DISABLED, "%s", text);
}

static int check_placement(const struct cx_broker *broker, const json_t *doc,
                           const struct cx_session *session,
                           struct cx_err *err)
{
	const struct cx_config *config = &broker->config;

	if (!CX_PROMISE(placement_disabled,
	                config->placement != CX_CONFIG_DISABLED))
		return refuse_off(doc, "placement is disabled in the "
		                  "configuration", err);
	if (!CX_PROMISE(org_execution,
	                !cx_config_org_is_off(config, session->org_id)))
		return refuse_off(doc, "execution is off for this "
		                  "organization in the configuration", err);
	if (!CX_PROMISE(placement_remote,
	                config->placement != CX_CONFIG_REMOTE))
		return cx_err_set(err, CX_E_PLACEMENT_UNAVAILABLE,
		                  "placement remote isn't available; set "
		                  "placement to local");
	return 0;
}

int cx_trust_identify(struct cx_broker *broker, const json_t *doc,
                      struct cx_trust *ret, struct cx_err *err)
{
	if (cx_trust_open(broker, doc, ret, err) < 0)
		return -1;
	return check_placement(broker, doc, cx_trust_session(ret), err);
}

static int check_posture(const struct cx_broker *broker, const json_t *doc,
                         const struct cx_run_row *row, struct cx_err *err)
{
	const char *posture = cx_config_posture(&broker->config,
	                                        row->agent_id);

	if (!posture)
		posture = row->posture;
	if (cx_str_same(posture, "off"))
		return refuse_off(doc, "execution is off for this agent", err);
	if (!cx_str_same(posture, "") && !cx_str_same(posture, "inherit") &&
	    !cx_str_same(posture, "on"))
		return cx_err_set(err, CX_E_POSTURE_UNKNOWN,
		                  "the agent's posture isn't inherit, on or "
		                  "off");
	return 0;
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

static int check_run(struct cx_broker *broker, const json_t *doc,
                     const struct cx_session *session, struct cx_err *err)
{
	struct cx_run_row row = { .state = CX_REGISTRY_LIVE };

	if (session->surface != CX_SURFACE_AGENT)
		return 0;
	if (broker->config.hook_liveness) {
		if (cx_trust_ask_liveness(broker->config.hook_liveness,
		                          session, err) < 0)
			return -1;
	} else if (cx_registry_check_run(&broker->db, session, &row,
	                                 err) < 0) {
		return -1;
	}
	return check_posture(broker, doc, &row, err);
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
static int check_products(const json_t *doc, struct cx_err *err)
{
	const struct {
		const char *section, *product;
		enum cx_class absent, untrusted;
		const char *text;
	} rule[] = {
		{ "environment", "layer", CX_E_ENVIRONMENT_UNAVAILABLE,
		  CX_E_ENVIRONMENT_UNTRUSTED,
		  "the layer has no provenance in this store" },
		{ "skills", "staged", CX_E_SKILLS_UNSTAGED,
		  CX_E_DIGEST_MISMATCH,
		  "no such skills are staged in this store" },
	};

	for (size_t i = 0; i < 2; i++) {
		bool asked = json_object_get(doc, rule[i].section) != NULL;
		bool made = json_object_get(doc, rule[i].product) != NULL;

		if (asked && !CX_PROMISE(products_required, made)) {
			cx_err_set(err, rule[i].absent, "%s stands without "
			           "%s; nothing runs without what it "
			           "declares", rule[i].section,
			           rule[i].product);
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
	json_t *egress = NULL;

	if (cx_trust_identify(broker, doc, ret, err) < 0 ||
	    check_run(broker, doc, session, err) < 0 ||
	    check_job(broker, doc, ret, err) < 0 ||
	    check_products(doc, err) < 0 ||
	    cx_document_section(doc, "egress", &egress, err) < 0 ||
	    cx_egress_resolve(egress, wish, &broker->config, session->org_id,
	                      &ret->carrier.caveats, &ret->tier, err) < 0)
		return -1;
	return cx_egress_require(ret->tier, err);
}

void cx_trust_done(struct cx_trust *trust)
{
	if (trust->is_opened)
		cx_carrier_free(&trust->carrier);
	trust->is_opened = false;
}
