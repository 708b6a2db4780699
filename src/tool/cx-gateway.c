/* cx-gateway.c - the tables of cx-gateway. */
#include "gateway/classify.h"
#include "gateway/petition.h"
#include "gateway/wording.h"
#include "tool/judging.h"
#include "tool/steering.h"
#include "tool/serving.h"

static const struct cx_opt decide_options[] = {
	CX_PATH(struct cx_judging, io.file, "file", 'f', "FILE",
	        "Read the cases from FILE instead of standard input"),
};

static const struct cx_opt classify_options[] = {
	CX_PATH(struct cx_judging, io.file, "file", 'f', "FILE",
	        "Read the documents from FILE instead of standard input"),
};

#define CONTROL \
	CX_PATH(struct cx_steering, control, "socket", 0, "PATH", \
	        "The gateway's control socket; by default CX_GATEWAY's or " \
	        "the configuration's, else run/gateway.sock of the state")
#define JOB \
	CX_TEXT(struct cx_steering, job, "job", 0, "ID", "The job")
#define DOCUMENT(about) \
	CX_PATH(struct cx_steering, io.file, "file", 'f', "FILE", about)

static const struct cx_opt register_options[] = {
	CONTROL,
	DOCUMENT("Read the registration from FILE instead of standard input"),
};

static const struct cx_opt job_options[] = {
	CONTROL, JOB,
	DOCUMENT("Without --job, read a document with its token from FILE "
	         "instead of standard input"),
};

static const struct cx_opt usage_options[] = { CONTROL, JOB };

static const struct cx_opt reload_options[] = { CONTROL };

static const struct cx_opt with_options[] = {
	CX_PATH(struct cx_steering, usage, "usage", 0, "FILE",
	        "Write the usage to FILE instead of standard error"),
};

#define STEERING(options, function) \
	.opt = (options), .opt_count = CX_COUNT(options), \
	.args_size = sizeof(struct cx_steering), .run = (function)

static const struct cx_opt serve_options[] = {
	CX_PATH(struct cx_serving, socket, "socket", 0, "PATH",
	        "Make the control socket at PATH; default run/gateway.sock "
	        "of the state folder"),
	CX_LIST(struct cx_serving, listen, "listen", 0, "ADDRESS:PORT",
	        "Listen there for all jobs, which their tokens tell apart; "
	        "port 0 is any (repeatable)"),
	CX_TEXT(struct cx_serving, resolver, "resolver", 0, "ADDRESS:PORT",
	        "Ask this resolver instead of those of /etc/resolv.conf"),
	CX_NUMBER(struct cx_serving, tunnels, "tunnels", 0, "N", 1, 1 << 20,
	          "At most N connections at once; default 16384, or what the "
	          "descriptor limit has room for"),
	CX_NUMBER(struct cx_serving, drain_ms, "drain-ms", 0, "MS", 0, 3600000,
	          "At the end let connections go on for at most MS; default "
	          "10000"),
	CX_FLAG(struct cx_serving, private, "private", 0,
	        "Take the control connection from standard input, and end "
	        "with it"),
	CX_FLAG(struct cx_serving, selfcheck, "selfcheck", 0,
	        "Shut the process in as for serving, say as JSON what holds, "
	        "and end"),
};

static const struct cx_cmd command[] = {
	{ .name = "serve", .about = "Be the way out for the jobs that are "
	  "registered, until a signal",
	  .opt = serve_options, .opt_count = CX_COUNT(serve_options),
	  .args_size = sizeof(struct cx_serving),
	  .writes = &cx_gatehouse_shape, .run = cx_serving_run },
	{ .name = "decide", .about = "Judge requests under a policy, a line "
	  "each, as live traffic is judged",
	  .opt = decide_options, .opt_count = CX_COUNT(decide_options),
	  .args_size = sizeof(struct cx_judging),
	  .reads = &cx_wording_case, .writes = &cx_wording_verdict,
	  .run = cx_judging_run_decide },
	{ .name = "classify", .about = "Say which protected range an address "
	  "lies in",
	  .operands = "[ADDRESS...]", .operands_max = SIZE_MAX,
	  .opt = classify_options, .opt_count = CX_COUNT(classify_options),
	  .args_size = sizeof(struct cx_judging),
	  .reads = &cx_classify_shape, .writes = &cx_classify_answer_shape,
	  .run = cx_judging_run_classify },
	{ .name = "register", .about = "Register a job with a gateway",
	  .reads = &cx_registration_shape, .writes = &cx_petition_answer,
	  STEERING(register_options, cx_steering_run_register) },
	{ .name = "unregister", .about = "End a job, and say what passed",
	  .writes = &cx_petition_answer,
	  STEERING(job_options, cx_steering_run_unregister) },
	{ .name = "revoke", .about = "Close all that a job has open, and admit "
	  "no more",
	  .writes = &cx_petition_answer,
	  STEERING(job_options, cx_steering_run_revoke) },
	{ .name = "usage", .about = "Say what passed for a job, or for all",
	  .writes = &cx_petition_answer,
	  STEERING(usage_options, cx_steering_run_usage) },
	{ .name = "reload", .about = "Have the configuration read again",
	  .writes = &cx_petition_answer,
	  STEERING(reload_options, cx_steering_run_reload) },
	{ .name = "with", .about = "Run a command with a gateway for as long "
	  "as it lives",
	  .operands = "-- COMMAND [ARG...]", .operands_min = 1,
	  .operands_max = 4096,
	  STEERING(with_options, cx_steering_run_with) },
};

const struct cx_tool cx_tool = {
	.name = "cx-gateway",
	.about = "the only way out of a sandbox: judged, attributed, metered",
	.cmd = command, .cmd_count = CX_COUNT(command),
};
