/* guard.c - see guard.h. */
#include "box/guard.h"

#include <errno.h>

#include "box/fault.h"
#include "sys/idmap.h"

int cx_guard_start(const struct cx_box *box, struct cx_guard *ret,
                   struct cx_err *err)
{
	*ret = (struct cx_guard)CX_GUARD_NONE;
	cx_subtree_find(&ret->subtree);
	if (cx_sweeper_start(&ret->subtree, box, cx_idmap_is_privileged(),
	                     &ret->sweeper) == 0)
		return 0;
	cx_fault_explain(CX_STEP_SWEEPER, errno, err);
	cx_subtree_done(&ret->subtree);
	return -1;
}

void cx_guard_done(struct cx_guard *guard)
{
	if (guard->sweeper.pid == 0)
		return;
	cx_sweeper_dismiss(&guard->sweeper, guard->leaves);
	cx_subtree_done(&guard->subtree);
}
