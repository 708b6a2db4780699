/* native.c - see native.h. */
#include "box/native.h"

#include "base/mem.h"
#include "box/fault.h"
#include "box/outside.h"
#include "box/passage.h"
#include "box/standby.h"
#include "box/verdict.h"
#include "box/watch.h"

int cx_native_plan(const struct cx_box *box, struct cx_plan *ret,
                   struct cx_err *err)
{
	struct cx_outside *outside = cx_mem_room(sizeof *outside);
	int status = cx_outside_plan(box, outside, err);

	*ret = outside->plan;
	cx_outside_done(outside);
	cx_mem_room_done(outside, sizeof *outside);
	return status;
}

static int run(struct cx_outside *outside, struct cx_report *ret,
               struct cx_err *err)
{
	ret->fault = cx_outside_go(outside, &ret->fault_errno);
	cx_standby_note(outside);
	if (ret->fault == CX_STEP_NONE) {
		ret->fault = cx_passage_hand_over(outside, err);
		if (ret->fault != CX_STEP_NONE)
			return -1; /* and *err says why */
		cx_verdict_prepare(outside);
		cx_watch_run(outside, ret);
		cx_verdict_fill(outside, ret);
		cx_outside_release(outside, ret->fault == CX_STEP_NONE);
	}
	if (ret->fault == CX_STEP_NONE)
		return 0;
	return cx_fault_explain(ret->fault, ret->fault_errno, err);
}

int cx_native_run(const struct cx_box *box, struct cx_report *ret,
                  struct cx_err *err)
{
	struct cx_outside *outside = cx_mem_room(sizeof *outside);
	int status = cx_outside_plan(box, outside, err);

	*ret = (struct cx_report){ .fault = CX_STEP_NONE, .rest = outside };
	if (status == 0)
		status = run(outside, ret, err);
	if (status < 0)
		cx_report_settle(ret);
	return status;
}
