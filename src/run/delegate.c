/* delegate.c - see delegate.h. */
#include "run/delegate.h"

#include <unistd.h>

#include "sys/subtree.h"

int cx_delegate_to(const char *user, int enter, struct cx_err *err)
{
	if (geteuid() != 0)
		return cx_err_set(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "only root can delegate control groups: "
		                  "sudo cx-run delegate %.64s", user);
	return cx_subtree_delegate(user, enter, err);
}
