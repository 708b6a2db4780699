/* step.c - see step.h. */
#include "box/step.h"

#include "base/count.h"

static const struct {
	const char *name;
	const char *about;
	enum cx_step_place place;
} step_of[] = {
	{ "", "", CX_STEP_OUTSIDE },
#define CX_STEP(symbol, name, place, about) \
	{ name, about, CX_STEP_##place },
#include "box/step.def"
#undef CX_STEP
};

static unsigned at(enum cx_step step)
{
	return step < CX_COUNT(step_of) ? step : CX_STEP_NONE;
}

const char *cx_step_name(enum cx_step step)
{
	return step_of[at(step)].name;
}

const char *cx_step_about(enum cx_step step)
{
	return step_of[at(step)].about;
}

enum cx_step_place cx_step_place(enum cx_step step)
{
	return step_of[at(step)].place;
}

const char *cx_step_place_name(enum cx_step_place place)
{
	static const char *const name[] = { "outside", "init", "command" };

	return name[place];
}
