/* primitive.c - see primitive.h. */
#include "run/primitive.h"

#include "base/fd.h"
#include "box/blocker.h"
#include "box/box.h"

static const char *const needs[] = { "required", "optional", NULL };

#define MAYBE(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .required = true, \
	  .nullable = true, .about = (about_) }

static const struct cx_shape member[] = {
	{ .name = "name", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "Its name." },
	{ .name = "ok", .kind = CX_SHAPE_BOOL, .required = true,
	  .about = "It was tried just now, and worked." },
	{ .name = "need", .kind = CX_SHAPE_TEXT, .word = needs,
	  .required = true,
	  .about = "Without what is required no command runs." },
	{ .name = "about", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "What it is." },
	MAYBE("detail", "Which version of it, or by what means."),
	MAYBE("blocker", "What refuses it; null when it worked."),
	MAYBE("remedy", "The least that helps; null when it worked."),
	{ .name = NULL },
};

const struct cx_shape cx_primitive_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = member,
};

static enum cx_quota_limit quota_of(enum cx_limit limit)
{
	switch (limit) {
	case CX_LIMIT_PIDS:
		return CX_QUOTA_PIDS;
	case CX_LIMIT_CPU:
		return CX_QUOTA_CPU;
	case CX_LIMIT_MEMORY:
	case CX_LIMIT_SWAP:
	case CX_LIMIT_ALL:
		break;
	}
	return CX_QUOTA_MEMORY;
}

static bool is_required(const struct cx_broker *broker,
                        const struct cx_trial *trial)
{
	const struct cx_quota *quota = &broker->config.limits;

	if (trial->need == CX_TRIAL_LIMIT)
		return !quota->best_effort[quota_of(trial->limit)];
	return trial->need == CX_TRIAL_REQUIRED;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static json_t *describe(const struct cx_broker *broker,
                        const struct cx_trial *trial,
                        const struct cx_trial_world *world)
{
	struct cx_blocker blocker = { "", "" };
	struct cx_trial_outcome outcome;
	bool ok;

	cx_trial_run(trial, world, &outcome);
	ok = outcome.sys == 0;
	if (!ok)
		cx_blocker_find(trial, world, &outcome, &blocker);
	return json_pack("{s:s, s:b, s:s, s:s, s:s?, s:s?, s:s?}",
	                 "name", trial->name, "ok", ok, "need",
	                 needs[is_required(broker, trial) ? 0 : 1],
	                 "about", trial->about,
	                 "detail", or_null(outcome.detail),
	                 "blocker", or_null(blocker.what),
	                 "remedy", or_null(blocker.remedy));
}

json_t *cx_primitive_list(const struct cx_broker *broker)
{
	CX_AUTO_FD int volume_fd = -1;
	json_t *list = json_array();
	struct cx_trial_world world = {
		.privileged = cx_box_is_privileged(),
	};
	struct cx_err ignored;

	/* a folder that can't be made shows in the trials that need it */
	cx_state_folder(&broker->state, CX_STATE_WS, &volume_fd, &ignored);
	world.volume_fd = volume_fd;
	for (size_t i = 0; i < cx_trial_count; i++)
		if (cx_trial_applies(&cx_trial_table[i], &world))
			json_array_append_new(list, describe(
				broker, &cx_trial_table[i], &world));
	return list;
}
