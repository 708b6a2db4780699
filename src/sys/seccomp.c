/* seccomp.c - see seccomp.h. */
#include "sys/seccomp.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "base/count.h"
#include "seccomp-command.inc"
#include "seccomp-gateway.inc"
#include "seccomp-scribe.inc"

static const struct {
	const struct sock_filter *filter;
	unsigned short count;
} made[CX_SECCOMP_COUNT] = {
	[CX_SECCOMP_COMMAND] = { command_filter, CX_COUNT(command_filter) },
	[CX_SECCOMP_GATEWAY] = { gateway_filter, CX_COUNT(gateway_filter) },
	[CX_SECCOMP_SCRIBE] = { scribe_filter, CX_COUNT(scribe_filter) },
};

const struct sock_filter *cx_seccomp_get(enum cx_seccomp_program program,
                                         size_t *ret_count)
{
	*ret_count = made[program].count;
	return made[program].filter;
}

int cx_seccomp_load(enum cx_seccomp_program program)
{
	/* the kernel reads it only; its declaration lacks the const */
	const struct {
		unsigned short count;
		const struct sock_filter *filter;
	} prog = { made[program].count, made[program].filter };

	_Static_assert(sizeof prog == sizeof(struct sock_fprog), "same shape");
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}
