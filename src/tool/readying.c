/* readying.c - see readying.h. */
#include "tool/readying.h"

#include "run/cancel.h"
#include "run/primitive.h"
#include "run/readiness.h"

enum { EXIT_UNAVAILABLE = 69, EXIT_DISABLED = 77 };

static int status_of(enum cx_readiness state)
{
	switch (state) {
	case CX_READINESS_DISABLED:
		return EXIT_DISABLED;
	case CX_READINESS_UNAVAILABLE:
		return EXIT_UNAVAILABLE;
	case CX_READINESS_READY:
		return 0;
	}
	return EXIT_UNAVAILABLE;
}

/* A line for each reason. */
static void tell(const struct cx_cli *cli, const json_t *doc)
{
	const json_t *reasons = json_object_get(doc, "reasons");

	for (size_t i = 0; i < json_array_size(reasons); i++) {
		const json_t *reason = json_array_get(reasons, i);

		cx_io_note(cli, "%s: %s: %s", cx_json_text(doc, "state"),
		           cx_json_text(reason, "class"),
		           cx_json_text(reason, "message"));
	}
	if (cx_json_is_true(doc, "memoized") && json_array_size(reasons) > 0)
		cx_io_note(cli, "the round trip was made at %s; --fresh makes "
		           "another", cx_json_text(doc, "checkedAt"));
}

/* What is refused, with what helps. */
static void tell_primitives(const struct cx_cli *cli, const json_t *doc)
{
	const json_t *list = json_object_get(doc, "primitives");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);

		if (!cx_json_is_true(one, "ok"))
			cx_io_note(cli, "%s, %s: %s; %s",
			           cx_json_text(one, "name"),
			           cx_json_text(one, "need"),
			           cx_json_text(one, "blocker"),
			           cx_json_text(one, "remedy"));
	}
}

int cx_readying_run(struct cx_cli *cli, void *given)
{
	const struct cx_readying_args *args = given;
	CX_AUTO_BROKER struct cx_broker broker = CX_BROKER_NONE;
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_readiness_answer answer;
	struct cx_err err = { 0 };
	int status;

	if (cx_broker_open(&broker, &err) < 0 ||
	    cx_readiness_judge(&broker, args->fresh, &answer, &err) < 0)
		return cx_io_fail(cli, &err);
	if (answer.trip.signal)
		cx_cancel_die(answer.trip.signal);
	doc = cx_readiness_write(&answer);
	if (args->probe)
		json_object_set_new(doc, "primitives",
		                    cx_primitive_list(&broker));
	status = cx_io_write(cli, doc);
	if (status != 0)
		return status;
	tell(cli, doc);
	tell_primitives(cli, doc);
	return status_of(answer.state);
}
