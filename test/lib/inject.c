/*
 * inject.c - run a program in which one system call fails.
 *
 *	inject SYSCALL ERRNO PROGRAM [ARG...]
 *
 * The filter answers SYSCALL with ERRNO (a number) and lets all else pass; it
 * is in force from the program's first instruction on.
 */
#include <errno.h>
#include <seccomp.h>

#include "base/num.h"

static int block(const char *name, int number)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int call = seccomp_syscall_resolve_name(name);
	int result = -EINVAL;

	if (filter && call != __NR_SCMP_ERROR)
		result = seccomp_rule_add(filter,
		                          SCMP_ACT_ERRNO((uint32_t)number),
		                          call, 0);
	if (result == 0)
		result = seccomp_load(filter);
	seccomp_release(filter);
	return result;
}

int main(int argc, char **argv)
{
	uint64_t number;

	if (argc < 4 || !cx_num_parse(argv[2], 1, 4095, &number)) {
		fprintf(stderr, "usage: inject SYSCALL ERRNO PROGRAM...\n");
		return 64;
	}
	if (block(argv[1], (int)number) != 0) {
		fprintf(stderr, "inject: %s can't be blocked\n", argv[1]);
		return 71;
	}
	execv(argv[3], argv + 3);
	fprintf(stderr, "inject: %s: %s\n", argv[3],
	        strerrordesc_np(errno));
	return 127;
}
