/* patience.c - see patience.h. */
#include "tool/patience.h"

int cx_patience_check(const struct cx_number *wait, bool no_wait,
                      struct cx_err *err)
{
	if (!wait->set || !no_wait)
		return 0;
	return cx_err_set(err, CX_E_USAGE, "--wait and --no-wait exclude each "
	                  "other");
}

int64_t cx_patience_of(const struct cx_number *wait, bool no_wait)
{
	if (no_wait)
		return 0;
	return wait->set ? (int64_t)wait->value * 1000 : -1;
}
