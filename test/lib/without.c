/*
 * without.c - runs a program on a kernel that lacks system calls.
 *
 *   without [--errno NAME] SYSCALL... -- COMMAND [ARGUMENT...]
 *
 * A filter answers ENOSYS (or EPERM, ENOSPC, EINVAL by name) to the named
 * calls, for the command and all that it starts.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>

static int usage(void)
{
	fputs("usage: without [--errno NAME] SYSCALL... -- COMMAND...\n",
	      stderr);
	return 64;
}

static int find_errno(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
		{ "ENOSYS", ENOSYS }, { "EPERM", EPERM },
		{ "EINVAL", EINVAL }, { "ENOSPC", ENOSPC },
		{ "EACCES", EACCES }, { "EOPNOTSUPP", EOPNOTSUPP },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].number;
	return 0;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int answer = ENOSYS;
	int at = 1;

	if (at + 1 < argc && strcmp(argv[at], "--errno") == 0) {
		answer = find_errno(argv[at + 1]);
		at += 2;
	}
	if (!filter || !answer)
		return usage();
	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		int number = seccomp_syscall_resolve_name(argv[at]);

		if (number == __NR_SCMP_ERROR ||
		    seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)answer),
		                     number, 0) < 0) {
			fprintf(stderr, "without: no call %s\n", argv[at]);
			return 64;
		}
	}
	if (at + 1 >= argc)
		return usage();
	if (seccomp_load(filter) < 0) {
		perror("without: load");
		return 71;
	}
	execv(argv[at + 1], argv + at + 1);
	perror(argv[at + 1]);
	return 127;
}
