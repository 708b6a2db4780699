/* cx-gateway.c - the tables of cx-gateway. */
#include "gateway/classify.h"
#include "gateway/wording.h"
#include "tool/judging.h"

static const struct cx_opt decide_options[] = {
	CX_PATH(struct cx_judging, io.file, "file", 'f', "FILE",
	        "Read the cases from FILE instead of standard input"),
};

static const struct cx_opt classify_options[] = {
	CX_PATH(struct cx_judging, io.file, "file", 'f', "FILE",
	        "Read the documents from FILE instead of standard input"),
};

static const struct cx_cmd command[] = {
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
};

const struct cx_tool cx_tool = {
	.name = "cx-gateway",
	.about = "the only way out of a sandbox: judged, attributed, metered",
	.cmd = command, .cmd_count = CX_COUNT(command),
};
