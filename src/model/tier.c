/* tier.c - see tier.h. */
#include "model/tier.h"

#include "base/count.h"

const char *const cx_tier_word[] = {
	[CX_TIER_NONE] = "none",
	[CX_TIER_ALLOWLIST] = "allowlist",
	[CX_TIER_DEFAULT_INTERNET] = "default_internet",
	NULL,
};

enum { COUNT = CX_COUNT(cx_tier_word) - 1 };

const char *cx_tier_text(enum cx_tier tier)
{
	return (size_t)tier < COUNT ? cx_tier_word[tier] : NULL;
}

bool cx_tier_find(const char *text, enum cx_tier *ret_tier)
{
	for (size_t i = 1; i < COUNT; i++)
		if (strcmp(cx_tier_word[i], text) == 0) {
			*ret_tier = (enum cx_tier)i;
			return true;
		}
	return false;
}
