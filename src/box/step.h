/* step.h - the steps of step.def as numbers with names. */
#ifndef CX_BOX_STEP_H
#define CX_BOX_STEP_H

enum cx_step {
	CX_STEP_NONE,
#define CX_STEP(symbol, name, place, about) CX_STEP_##symbol,
#include "box/step.def"
#undef CX_STEP
	CX_STEP_COUNT
};

/* Who carries it out. */
enum cx_step_place { CX_STEP_OUTSIDE, CX_STEP_INIT, CX_STEP_COMMAND };

/* "root", "exec"; "" for CX_STEP_NONE. */
const char *cx_step_name(enum cx_step step);
const char *cx_step_about(enum cx_step step);
enum cx_step_place cx_step_place(enum cx_step step);

/* "outside", "init", "command". */
const char *cx_step_place_name(enum cx_step_place place);

#endif
