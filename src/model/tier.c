/* tier.c - see tier.h. */
#include "model/tier.h"

#include "base/count.h"

static const char *const word[] = {
	[CX_TIER_NONE] = "none",
	[CX_TIER_ALLOWLIST] = "allowlist",
	[CX_TIER_DEFAULT_INTERNET] = "default_internet",
};

const char *cx_tier_text(enum cx_tier tier)
{
	return tier < CX_COUNT(word) ? word[tier] : NULL;
}

bool cx_tier_find(const char *text, enum cx_tier *ret_tier)
{
	for (size_t i = 1; i < CX_COUNT(word); i++)
		if (strcmp(word[i], text) == 0) {
			*ret_tier = (enum cx_tier)i;
			return true;
		}
	return false;
}
