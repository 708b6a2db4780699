/* outline.c - see outline.h. */
#include "run/outline.h"

#include "run/egress.h"
#include "run/gate.h"
#include "run/result.h"
#include "run/section.h"

static const char *const versions[] = { "cx/v1", NULL };

static const struct cx_shape result = {
	.kind = CX_SHAPE_OBJECT, .sub = cx_result_member,
};

static const struct cx_shape error_member[] = {
	{ .name = "class", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "A stable word; cx-errors(7) lists them." },
	{ .name = "message", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "What to do about it, for a person." },
	{ .name = "pointer", .kind = CX_SHAPE_TEXT,
	  .about = "Where in the document." },
	{ .name = NULL },
};

#define VERSION \
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .word = versions, \
	  .about = "The version of the document; always written." }
#define CARRIER \
	{ .name = "carrier", .kind = CX_SHAPE_TEXT, .min = 1, .max = 4096, \
	  .about = "The sealed session." }
#define JOB \
	{ .name = "job", .kind = CX_SHAPE_OBJECT, .sub = cx_gate_job_member, \
	  .about = "The job that commands share." }

static const struct cx_shape order[] = {
	VERSION, CARRIER, JOB,
	{ .name = "egress", .kind = CX_SHAPE_OBJECT, .sub = cx_egress_member,
	  .about = "The command's network." },
	{ .name = "run", .kind = CX_SHAPE_OBJECT, .sub = cx_section_member,
	  .about = "What is to be run: exactly one of command, argv and "
	           "commands." },
	{ .name = NULL },
};
const struct cx_shape cx_outline_order = {
	.kind = CX_SHAPE_OBJECT, .sub = order, .open = true,
};

static const struct cx_shape answer[] = {
	VERSION,
	{ .name = "result", .kind = CX_SHAPE_OBJECT, .sub = cx_result_member,
	  .about = "What the command came to." },
	{ .name = "results", .kind = CX_SHAPE_LIST, .sub = &result,
	  .about = "The same for each of run.commands." },
	{ .name = "error", .kind = CX_SHAPE_OBJECT, .sub = error_member,
	  .about = "Why it was refused, or failed." },
	{ .name = NULL },
};
const struct cx_shape cx_outline_result = {
	.kind = CX_SHAPE_OBJECT, .sub = answer, .open = true,
};

static const struct cx_shape job[] = {
	VERSION, CARRIER, JOB,
	{ .name = NULL },
};
const struct cx_shape cx_outline_job = {
	.kind = CX_SHAPE_OBJECT, .sub = job, .open = true,
};
