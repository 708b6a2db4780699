/*
 * termination.h - how a command that was let run came to its end.
 */
#ifndef CX_MODEL_TERMINATION_H
#define CX_MODEL_TERMINATION_H

#include <stdbool.h>

enum cx_termination {
	CX_TERMINATION_NONE, /* denied, or not over; JSON null */
	CX_TERMINATION_EXITED,
	CX_TERMINATION_SIGNALED,
	CX_TERMINATION_WALL_CLOCK,
	CX_TERMINATION_CPU_TIME,
	CX_TERMINATION_OUTPUT_CAP,
	CX_TERMINATION_DISK_QUOTA_EXCEEDED,
	CX_TERMINATION_OUT_OF_MEMORY,
	CX_TERMINATION_CANCELLED,
	CX_TERMINATION_LOST, /* began, and nobody saw it end */
};

/* The texts by number, NULL-ended; the first (unknown) is NULL as well, so
 * that a list of words begins at cx_termination_word + 1. */
extern const char *const cx_termination_word[];

/* "exited" and so on; NULL for CX_TERMINATION_NONE. */
const char *cx_termination_text(enum cx_termination termination);

/* The termination of a text; false when there is none such. */
bool cx_termination_find(const char *text, enum cx_termination *ret);

#endif
