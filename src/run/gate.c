/* gate.c - see gate.h. */
#include "run/gate.h"

#include "base/str.h"
#include "run/binder.h"
#include "run/hook.h"
#include "run/trust.h"
#include "store/volume.h"

static const char *const states[] = { "live", "ended", NULL };

const struct cx_shape cx_gate_job_member[] = {
	{ .name = "id", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "The job's id, for later documents." },
	{ .name = "state", .kind = CX_SHAPE_TEXT, .word = states,
	  .about = "live, or ended by close." },
	{ .name = NULL },
};

static void set_job(json_t *doc, const char *id, const char *state)
{
	json_object_set_new(doc, "job", json_pack("{s:s, s:s}", "id", id,
	                                          "state", state));
}

static int open_job(struct cx_broker *broker, json_t *doc,
                    const struct cx_trust *trust, struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(trust);
	char id[CX_REGISTRY_ID_MAX];
	const char *given;

	if (cx_trust_job(doc, session, &given, err) < 0)
		return -1;
	/* a document that has its job already: it must be live and its own */
	if (given)
		return cx_registry_check_job(&broker->db, session, given, err);
	if (cx_registry_open_job(&broker->db, session, trust->now, id,
	                         err) < 0)
		return -1;
	set_job(doc, id, "live");
	return 0;
}

/* An agent that is off gets no run. */
static int open_run(struct cx_broker *broker, const json_t *doc,
                    const struct cx_trust *trust, const char *agent,
                    struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(trust);
	struct cx_run_row row = { .state = CX_REGISTRY_LIVE };

	if (agent) {
		snprintf(row.agent_id, sizeof row.agent_id, "%s", agent);
		if (cx_binder_admit(broker, doc, session, &row, err) < 0)
			return -1;
	}
	return cx_registry_open_run(&broker->db, session, agent, trust->now,
	                            err);
}

int cx_gate_open(struct cx_broker *broker, json_t *doc, const char *agent,
                 struct cx_err *err)
{
	CX_AUTO_TRUST struct cx_trust trust = { 0 };
	const struct cx_session *session = cx_trust_session(&trust);
	const char *job;

	if (cx_trust_identify(broker, doc, &trust, err) < 0)
		return -1;
	if (!*session->run_id) {
		if (agent)
			return cx_err_set(err, CX_E_INPUT_INVALID,
			                  "--agent is a run's, and the "
			                  "session names none");
		return open_job(broker, doc, &trust, err);
	}
	if (cx_trust_job(doc, session, &job, err) < 0)
		return -1;
	return open_run(broker, doc, &trust, agent, err);
}

static int end(struct cx_broker *broker, const struct cx_trust *trust,
               const char *job, struct cx_err *err)
{
	const struct cx_session *session = cx_trust_session(trust);

	if (*session->run_id)
		return cx_registry_end_run(&broker->db, session,
		                           CX_REGISTRY_ENDED, trust->now, err);
	if (job)
		return cx_registry_end_job(&broker->db, session, job,
		                           CX_REGISTRY_ENDED, trust->now, err);
	cx_err_set(err, CX_E_INPUT_INVALID, "nothing to close: the session "
	           "names no run and the document no job");
	return cx_err_at(err, "/job");
}

static void tell_teardown(const struct cx_broker *broker,
                          const struct cx_session *session, const char *job)
{
	const char *program = broker->config.hook_teardown;
	CX_AUTO_JSON json_t *told = NULL;

	if (!program)
		return;
	told = json_pack("{s:s, s:s, s:s}", "orgId", session->org_id,
	                 "userId", session->user_id, job ? "jobId" : "runId",
	                 job ? job : session->run_id);
	cx_hook_ask(program, told); /* its answer changes nothing any more */
}

int cx_gate_close(struct cx_broker *broker, json_t *doc, bool *ret_waits,
                  struct cx_err *err)
{
	CX_AUTO_TRUST struct cx_trust trust = { 0 };
	const struct cx_session *session = cx_trust_session(&trust);
	struct cx_volume_owner owner = { 0 };
	const char *job;
	bool gone;

	/* what is switched off may still be put away */
	if (cx_trust_open(broker, doc, &trust, err) < 0 ||
	    cx_trust_job(doc, session, &job, err) < 0 ||
	    end(broker, &trust, job, err) < 0)
		return -1;
	owner = (struct cx_volume_owner){
		.org_id = session->org_id,
		.user_id = session->user_id,
		.run_id = job ? NULL : session->run_id,
		.job_id = job,
	};
	if (cx_volume_drop(&broker->state, &owner, &gone, err) < 0)
		return -1;
	*ret_waits = !gone;
	tell_teardown(broker, session, job);
	if (job)
		set_job(doc, job, "ended");
	return 0;
}
