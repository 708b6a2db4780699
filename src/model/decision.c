/* decision.c - see decision.h. */
#include "model/decision.h"

#include "base/count.h"

const char *const cx_decision_word[] = {
	[CX_DECISION_DENIED] = "denied",
	[CX_DECISION_ALLOWED] = "allowed",
	NULL,
};

enum { COUNT = CX_COUNT(cx_decision_word) - 1 };

const char *cx_decision_text(enum cx_decision decision)
{
	return (size_t)decision < COUNT ? cx_decision_word[decision] : NULL;
}

bool cx_decision_find(const char *text, enum cx_decision *ret_decision)
{
	for (size_t i = 1; i < COUNT; i++)
		if (strcmp(cx_decision_word[i], text) == 0) {
			*ret_decision = (enum cx_decision)i;
			return true;
		}
	return false;
}
