/* cordon.c - see cordon.h. */
#include "sys/cordon.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "base/count.h"
#include "base/promise.h"
#include "seccomp-gateway.inc"

const struct sock_filter *cx_cordon_get(size_t *ret_count)
{
	*ret_count = CX_COUNT(gateway_filter);
	return gateway_filter;
}

int cx_cordon_load(void)
{
	/* the kernel reads it only; its declaration lacks the const */
	const struct {
		unsigned short count;
		const struct sock_filter *filter;
	} prog = { CX_COUNT(gateway_filter), gateway_filter };

	_Static_assert(sizeof prog == sizeof(struct sock_fprog), "same shape");
	if (!CX_PROMISE(gateway_is_cordoned,
	                syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
	                        &prog) == 0))
		return -1;
	return 0;
}
