/*
 * tier.h - how far a sandbox may reach: none, default_internet, allowlist.
 */
#ifndef CX_MODEL_TIER_H
#define CX_MODEL_TIER_H

#include <stdbool.h>

enum cx_tier {
	CX_TIER_UNKNOWN, /* denied before it was known; JSON null */
	CX_TIER_NONE,
	CX_TIER_ALLOWLIST,
	CX_TIER_DEFAULT_INTERNET,
};

/* The texts by number, NULL-ended; the first (unknown) is NULL as well, so
 * that a list of words begins at cx_tier_word + 1. */
extern const char *const cx_tier_word[];

/* "none" and so on; NULL for CX_TIER_UNKNOWN. */
const char *cx_tier_text(enum cx_tier tier);

/* The tier of a text; false when there is none such. */
bool cx_tier_find(const char *text, enum cx_tier *ret_tier);

#endif
