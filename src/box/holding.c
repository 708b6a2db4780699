/* holding.c - see holding.h. */
#include "box/holding.h"

#include "box/survey.h"
#include "sys/limit.h"

static unsigned bits(const bool *best_effort)
{
	unsigned all = 0;

	if (best_effort[CX_QUOTA_MEMORY])
		all |= CX_LIMIT_MEMORY | CX_LIMIT_SWAP;
	if (best_effort[CX_QUOTA_PIDS])
		all |= CX_LIMIT_PIDS;
	if (best_effort[CX_QUOTA_CPU])
		all |= CX_LIMIT_CPU;
	return all;
}

int cx_holding_require(const struct cx_quota *quota, unsigned group_holds,
                       unsigned *ret_holds, struct cx_err *err)
{
	unsigned holds = group_holds;

	if (cx_survey_counts_inside())
		holds |= CX_LIMIT_PIDS;
	if (ret_holds)
		*ret_holds = holds;
	return cx_limit_require(CX_LIMIT_ALL, holds, bits(quota->best_effort),
	                        err);
}
