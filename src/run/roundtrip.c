/* roundtrip.c - see roundtrip.h. */
#include "run/roundtrip.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/promise.h"
#include "base/rand.h"
#include "base/str.h"
#include "plane/minting.h"
#include "run/exec.h"

#define PROBE "cx:probe"

/* The workspace is written, a program of the base run, the identity told. */
#define COMMAND "cat >seen && sha256sum <seen && id -u && id -g && pwd"

enum { SECRET_BYTES = 32, TTL_S = 60 };

/* The secret on standard input, and what only its reader can answer. */
struct riddle {
	char secret[2 * SECRET_BYTES + 1];
	char answer[CX_DIGEST_TEXT + 64];
};

static int make_riddle(struct riddle *ret, struct cx_err *err)
{
	uint8_t random[SECRET_BYTES];
	char digest[CX_DIGEST_TEXT];
	struct cx_digest of;

	if (cx_rand_fill(random, sizeof random, err) < 0)
		return -1;
	cx_hex_write(random, sizeof random, ret->secret);
	cx_digest_of(ret->secret, strlen(ret->secret), &of);
	cx_digest_text(&of, digest);
	snprintf(ret->answer, sizeof ret->answer,
	         "%s  -\n10001\n10001\n/workspace\n",
	         digest + strlen("sha256:"));
	return 0;
}

static int mint(struct cx_broker *broker, struct cx_buf *ret,
                struct cx_err *err)
{
	struct cx_session session;
	struct cx_minted minted = { .expires = 0 };
	struct cx_minting_order order = {
		.session = &session,
		.use = CX_CARRIER_PROBE,
		.ttl_s = broker->config.seal_max_ttl < TTL_S
		         ? broker->config.seal_max_ttl : TTL_S,
	};
	int64_t now;

	if (cx_clock_now(&now, err) < 0 ||
	    cx_session_make(CX_SESSION_RESERVED, PROBE, PROBE, "task", NULL,
	                    &session, err) < 0 ||
	    cx_minting_make(&broker->sealer, &order, now, &minted, err) < 0) {
		cx_buf_done(&minted.text);
		return -1;
	}
	*ret = minted.text;
	return 0;
}

static json_t *make_document(const struct cx_config *config,
                             const struct cx_buf *carrier,
                             const struct riddle *riddle)
{
	json_int_t wall_ms = CX_ROUNDTRIP_WALL_MS;

	if (config->limits.wall_ms < CX_ROUNDTRIP_WALL_MS)
		wall_ms = (json_int_t)config->limits.wall_ms;
	return json_pack("{s:s, s:s%, s:{s:s}, s:{s:s, s:s, s:I}}",
	                 "apiVersion", "cx/v1", "carrier", carrier->data,
	                 carrier->size, "egress", "tier", "none", "run",
	                 "command", COMMAND, "stdin", riddle->secret,
	                 "timeoutMs", wall_ms);
}

static void fail(struct cx_roundtrip *ret, enum cx_class fault,
                 const char *why)
{
	ret->fault = fault;
	snprintf(ret->why, sizeof ret->why, "%s", why);
}

/* Printable, so that a base's own words can stand in a message. */
static void quote(const char *text, char *ret, size_t size)
{
	size_t at = 0;

	for (; *text && at + 1 < size; text++)
		ret[at++] = *text >= ' ' && *text <= '~' ? *text : ' ';
	ret[at] = '\0';
}

static void judge(const json_t *result, const struct riddle *riddle,
                  struct cx_roundtrip *ret)
{
	const char *ending = cx_json_text(result, "termination");
	const char *output = cx_json_text(result, "stdout");
	const char *errors = cx_json_text(result, "stderr");
	int64_t code = cx_json_number(result, "exitCode", -1);
	char said[160];

	snprintf(ret->job_id, sizeof ret->job_id, "%s",
	         cx_json_text(result, "jobId"));
	snprintf(ret->image_digest, sizeof ret->image_digest, "%s",
	         cx_json_text(result, "imageDigest"));
	ret->wall_ms = cx_json_number(result, "wallMs", -1);
	if (CX_PROMISE(probe_exited, ending && code == 0 &&
	               cx_str_same(ending, "exited"))) {
		if (!CX_PROMISE(probe_output, output &&
		                cx_str_same(output, riddle->answer)))
			fail(ret, CX_E_WORKER_ERROR, "the probe command's "
			     "output isn't what the base should say");
		return;
	}
	ret->fault = CX_E_WORKER_ERROR;
	quote(errors ? errors : "", said, sizeof said);
	snprintf(ret->why, sizeof ret->why,
	         "the probe command ended with %s, exit code %lld: %s",
	         ending ? ending : "nothing", (long long)code, said);
}

static int run(struct cx_broker *broker, struct riddle *riddle,
               json_t **ret_doc, int *ret_signal, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf carrier = { 0 };
	const struct cx_order_flags flags = { .argv = NULL };
	struct cx_exec_end end = { 0 };
	int done;

	if (make_riddle(riddle, err) < 0 || mint(broker, &carrier, err) < 0)
		return -1;
	*ret_doc = make_document(&broker->config, &carrier, riddle);
	done = cx_exec_document(broker, *ret_doc, &flags, &end, err);
	*ret_signal = end.signal;
	return done;
}

/* As a probe, and with no hook asked or told. */
static int run_as_probe(struct cx_broker *broker, struct riddle *riddle,
                        json_t **ret_doc, int *ret_signal, struct cx_err *err)
{
	struct cx_config *config = &broker->config;
	const struct cx_config before = *config;
	int done;

	config->hook_command_policy = NULL;
	config->hook_stdio = NULL;
	config->hook_teardown = NULL;
	broker->use = CX_CARRIER_PROBE;
	done = run(broker, riddle, ret_doc, ret_signal, err);
	broker->use = CX_CARRIER_EXECUTE;
	*config = before;
	return done;
}

void cx_roundtrip_make(struct cx_broker *broker, struct cx_roundtrip *ret)
{
	CX_AUTO_JSON json_t *doc = NULL;
	struct riddle riddle;
	struct cx_err err;

	*ret = (struct cx_roundtrip){
		.at_ms = cx_clock_wall_ms(), .wall_ms = -1,
	};
	if (run_as_probe(broker, &riddle, &doc, &ret->signal, &err) < 0)
		fail(ret, err.code, err.text);
	else
		judge(json_object_get(doc, "result"), &riddle, ret);
}
