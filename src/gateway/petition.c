/* petition.c - see petition.h. */
#include "gateway/petition.h"

#include "base/mem.h"
#include "plane/config.h"
#include "plane/passkey.h"
#include "plane/register.h"

#define TEXT(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_) }
#define NUMBER(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .nullable = true, \
	  .about = (about_) }

static const struct cx_shape usage[] = {
	TEXT("jobId", "The job."),
	TEXT("orgId", "Its organization."),
	TEXT("tier", "How far it may reach."),
	TEXT("state", "live or revoked."),
	NUMBER("upBytes", "What it sent."),
	NUMBER("downBytes", "What it got."),
	NUMBER("totalBytes", "Both."),
	NUMBER("tunnels", "Connections so far."),
	NUMBER("openTunnels", "Connections now."),
	NUMBER("denied", "Requests that weren't admitted."),
	NUMBER("maxBytes", "Its ceiling; null: none."),
	{ .name = NULL },
};
static const struct cx_shape total[] = {
	NUMBER("jobs", "Jobs, those that have ended too."),
	NUMBER("upBytes", "What they sent."),
	NUMBER("downBytes", "What they got."),
	NUMBER("totalBytes", "Both."),
	NUMBER("tunnels", "Their connections."),
	NUMBER("denied", "Their requests that weren't admitted."),
	{ .name = NULL },
};
static const struct cx_shape one_usage = {
	.kind = CX_SHAPE_OBJECT, .sub = usage,
};
static const struct cx_shape member[] = {
	TEXT("decision", "allow: it was carried out."),
	NUMBER("status", "As of HTTP."),
	TEXT("reason", "What was done."),
	{ .name = "usage", .kind = CX_SHAPE_OBJECT, .sub = usage,
	  .about = "Of the job." },
	{ .name = "jobs", .kind = CX_SHAPE_LIST, .sub = &one_usage,
	  .about = "Of each that is there." },
	{ .name = "total", .kind = CX_SHAPE_OBJECT, .sub = total,
	  .about = "Of all since the gateway began." },
	{ .name = NULL },
};

const struct cx_shape cx_petition_answer = {
	.name = "answer", .kind = CX_SHAPE_OBJECT, .sub = member,
};

static char *choose(const char *path, const struct cx_state *state,
                    struct cx_err *err)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };

	if (path)
		return cx_mem_text(path);
	if (cx_config_load(&config, err) < 0)
		return NULL;
	if (config.gateway[0] == '/')
		return cx_mem_text(config.gateway);
	return cx_mem_print("%s/run/gateway.sock", state->path);
}

static int ask(const struct cx_state *state, const char *given,
               const json_t *question, json_t **ret_answer,
               struct cx_err *err)
{
	CX_AUTO_REGISTER struct cx_register reg = CX_REGISTER_NONE;
	CX_AUTO_FREE char *path = choose(given, state, err);

	if (!path || cx_register_connect(path, &reg, err) < 0 ||
	    cx_passkey_read(state, false, reg.secret, err) < 0)
		return -1;
	return cx_register_ask(&reg, question, NULL, 0, ret_answer, err);
}

int cx_petition_ask(const char *path, const json_t *question,
                    json_t **ret_answer, struct cx_err *err)
{
	struct cx_state state = CX_STATE_NONE;
	int done;

	*ret_answer = NULL;
	if (cx_state_open(&state, err) < 0)
		return -1;
	done = ask(&state, path, question, ret_answer, err);
	cx_state_done(&state);
	return done;
}

json_t *cx_petition_about(const char *verb, const char *job)
{
	json_t *question = json_pack("{s:s}", "do", verb);

	if (job)
		json_object_set_new(question, "jobId", json_string(job));
	return question;
}
