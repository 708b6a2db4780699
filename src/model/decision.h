/*
 * decision.h - whether the broker let a command run, not how it ended.
 */
#ifndef CX_MODEL_DECISION_H
#define CX_MODEL_DECISION_H

#include <stdbool.h>

enum cx_decision {
	CX_DECISION_UNKNOWN,
	CX_DECISION_DENIED,
	CX_DECISION_ALLOWED,
};

/* The texts by number, NULL-ended; the first (unknown) is NULL as well, so
 * that a list of words begins at cx_decision_word + 1. */
extern const char *const cx_decision_word[];

/* "denied", "allowed"; NULL for CX_DECISION_UNKNOWN. */
const char *cx_decision_text(enum cx_decision decision);

/* The decision of a text; false when there is none such. */
bool cx_decision_find(const char *text, enum cx_decision *ret_decision);

#endif
