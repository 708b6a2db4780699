/* box.c - see box.h. */
#include "box/box.h"

#include "box/backend.h"
#include "sys/idmap.h"

void cx_box_start(struct cx_box *ret)
{
	*ret = (struct cx_box){
		.workspace_fd = -1,
		.skills_fd = -1,
		.stdin_fd = -1,
		.cancel_fd = -1,
	};
	for (size_t i = 0; i < CX_BOX_HOLD_MAX; i++)
		ret->hooks.hold_fd[i] = -1;
}

bool cx_box_is_privileged(void)
{
	return cx_idmap_is_privileged();
}

int cx_box_plan(const struct cx_box *box, struct cx_plan *ret,
                struct cx_err *err)
{
	return cx_backend_of(box)->plan(box, ret, err);
}

int cx_box_run(const struct cx_box *box, struct cx_report *ret,
               struct cx_err *err)
{
	return cx_backend_of(box)->run(box, ret, err);
}
