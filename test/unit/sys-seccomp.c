/*
 * sys-seccomp.c - the filter that is shipped against the list that it is made
 * from: attacks by hand, and every number against libseccomp's own idea of
 * the same list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/unistd.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/count.h"
#include "sys/caps.h"
#include "sys/gen/list.h"
#include "sys/seccomp.h"

#define ALLOW SECCOMP_RET_ALLOW
#define ERRNO(number) (SECCOMP_RET_ERRNO | (number))
#define HIGH 0xdeadbeef00000000ULL

enum { NUMBERS = 601, CODE_MAX = 1024, PROGRAMS_MAX = 200 };

struct program {
	struct sock_filter insn[CODE_MAX];
	size_t size;
};

/* Classic BPF as the kernel runs it over a struct seccomp_data. */
static uint32_t interpret(const struct sock_filter *insn, size_t size,
                          const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t at = 0; at < size; at++) {
		uint32_t k = insn[at].k;
		bool is;

		switch (insn[at].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(k % 4 == 0 && k < sizeof *data);
			memcpy(&a, (const char *)data + k, sizeof a);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= k;
			continue;
		case BPF_JMP | BPF_JA:
			at += k;
			continue;
		case BPF_RET | BPF_K:
			return k;
		case BPF_JMP | BPF_JEQ | BPF_K:
			is = a == k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			is = a >= k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			is = a > k;
			break;
		default:
			fail_msg("instruction 0x%x", insn[at].code);
			return 0;
		}
		at += is ? insn[at].jt : insn[at].jf;
	}
	fail_msg("ran past the end");
	return 0;
}

/* A program that is shipped, its list, and how many rules that has at
 * least. */
struct shipped {
	enum cx_seccomp_program program;
	const char *list;
	size_t least;
};

static struct shipped command = {
	CX_SECCOMP_COMMAND, "share/seccomp/command.list", 300,
};
static struct shipped gateway = {
	CX_SECCOMP_GATEWAY, "share/seccomp/gateway.list", 90,
};
static struct shipped scribe = {
	CX_SECCOMP_SCRIBE, "share/seccomp/scribe.list", 50,
};

static uint32_t ours(const struct shipped *shipped,
                     const struct seccomp_data *data)
{
	size_t count;
	const struct sock_filter *filter =
		cx_seccomp_get(shipped->program, &count);

	return interpret(filter, count, data);
}

struct attack {
	int number;
	uint64_t arg[4];
	uint32_t verdict;
};

static void attack(const struct shipped *shipped, const struct attack *row,
                   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct seccomp_data data = {
			.nr = row[i].number,
			.arch = seccomp_arch_native(),
			.args = { row[i].arg[0], row[i].arg[1],
			          row[i].arg[2], row[i].arg[3] },
		};

		if (ours(shipped, &data) != row[i].verdict)
			fail_msg("call %d (row %zu): 0x%x", row[i].number, i,
			         ours(shipped, &data));
	}
}

static void attacks(void **state)
{
	static const struct attack row[] = {
		{ SYS_read, { 0 }, ALLOW },
		{ SYS_openat, { 0 }, ALLOW },
		{ SYS_execve, { 0 }, ALLOW },
		{ SYS_ptrace, { 0 }, ALLOW },
		{ SYS_clone3, { 0 }, ERRNO(ENOSYS) },
		{ SYS_clone, { 0x3d0f00 }, ALLOW },
		{ SYS_clone, { 0x10000000 | SIGCHLD }, ERRNO(EPERM) },
		{ SYS_clone, { 0x20000 }, ERRNO(EPERM) },
		{ SYS_clone, { HIGH | 0x40000000 }, ERRNO(EPERM) },
		{ SYS_unshare, { 0x400 }, ALLOW },
		{ SYS_unshare, { 0x10000000 }, ERRNO(EPERM) },
		{ SYS_unshare, { 0x80 }, ERRNO(EPERM) },
		{ SYS_setns, { 0 }, ERRNO(EPERM) },
		{ SYS_socket, { 1, 5, 0 }, ALLOW },
		{ SYS_socket, { 2, 1, 0 }, ALLOW },
		{ SYS_socket, { 10, 0x80801, 6 }, ALLOW },
		{ SYS_socket, { 2, 2, 17 }, ALLOW },
		{ SYS_socket, { HIGH | 2, HIGH | 2, HIGH }, ALLOW },
		{ SYS_socket, { 2, 5, 132 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 2, 1, 262 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 2, 3, 1 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 16, 3, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 17, 3, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 38, 5, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 40, 1, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { HIGH | 40, 1, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socketpair, { 30, 1, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_ioctl, { 0, 0x5401 }, ALLOW },
		{ SYS_ioctl, { 0, 0x5412 }, ERRNO(EPERM) },
		{ SYS_ioctl, { 0, HIGH | 0x5412 }, ERRNO(EPERM) },
		{ SYS_ioctl, { 0, 0x541c }, ERRNO(EPERM) },
		{ SYS_ioctl, { 0, HIGH | 0x541c }, ERRNO(EPERM) },
		{ SYS_ioctl, { 0, 0x100005412 }, ERRNO(EPERM) },
		{ SYS_personality, { 0xffffffff }, ALLOW },
		{ SYS_personality, { HIGH | 0x40000 }, ALLOW },
		{ SYS_personality, { 0x400000 }, ERRNO(EPERM) },
		{ SYS_personality, { 8 }, ERRNO(EPERM) },
		{ SYS_prctl, { 15 }, ALLOW },
		{ SYS_prctl, { 38 }, ALLOW },
		{ SYS_prctl, { 35 }, ERRNO(EINVAL) },
		{ SYS_prctl, { 62 }, ERRNO(EINVAL) },
		{ SYS_prctl, { HIGH | 67 }, ERRNO(EINVAL) },
		{ SYS_madvise, { 0, 0, 4 }, ALLOW },
		{ SYS_madvise, { 0, 0, 12 }, ERRNO(EINVAL) },
		{ SYS_mmap, { 0, 4096, 3, 0x22 }, ALLOW },
		{ SYS_mmap, { 0, 1 << 21, 3, 0x40022 }, ERRNO(ENOMEM) },
		{ SYS_mmap, { 0, 1 << 21, 3, 0x54040022 }, ERRNO(ENOMEM) },
		{ SYS_memfd_create, { 0, 3 }, ALLOW },
		{ SYS_memfd_create, { 0, 5 }, ERRNO(ENOMEM) },
		{ SYS_shmget, { 0, 4096, 01600 }, ALLOW },
		{ SYS_shmget, { 0, 4096, 05600 }, ERRNO(ENOMEM) },
		{ SYS_mknodat, { 0, 0, 0x1180 }, ALLOW },
		{ SYS_mknodat, { 0, 0, 0x2180 }, ERRNO(EPERM) },
		{ SYS_mknodat, { 0, 0, 0x6180 }, ERRNO(EPERM) },
		{ SYS_keyctl, { 0 }, ERRNO(EPERM) },
		{ SYS_add_key, { 0 }, ERRNO(EPERM) },
		{ SYS_request_key, { 0 }, ERRNO(EPERM) },
		{ SYS_io_uring_setup, { 0 }, ERRNO(EPERM) },
		{ SYS_bpf, { 0 }, ERRNO(EPERM) },
		{ SYS_perf_event_open, { 0 }, ERRNO(EPERM) },
		{ SYS_userfaultfd, { 0 }, ERRNO(EPERM) },
		{ SYS_mount, { 0 }, ERRNO(EPERM) },
		{ SYS_open_tree, { 0 }, ERRNO(EPERM) },
		{ SYS_fsopen, { 0 }, ERRNO(EPERM) },
		{ SYS_open_by_handle_at, { 0 }, ERRNO(EPERM) },
		{ SYS_fanotify_init, { 0 }, ERRNO(EPERM) },
		{ SYS_kexec_load, { 0 }, ERRNO(EPERM) },
		{ SYS_init_module, { 0 }, ERRNO(EPERM) },
		{ SYS_quotactl, { 0 }, ERRNO(EPERM) },
		{ SYS_acct, { 0 }, ERRNO(EPERM) },
		{ SYS_pidfd_getfd, { 0 }, ERRNO(EPERM) },
		{ 9999, { 0 }, ERRNO(ENOSYS) },
		{ -1, { 0 }, ERRNO(ENOSYS) },
#ifdef __x86_64__
		/* x32: read, execve, ptrace in its spelling */
		{ 0x40000000, { 0 }, ERRNO(ENOSYS) },
		{ 0x40000000 + 520, { 0 }, ERRNO(ENOSYS) },
		{ 0x40000000 + 521, { 0 }, ERRNO(ENOSYS) },
#endif
	};

	(void)state;
	attack(&command, row, CX_COUNT(row));
}

static void attacks_on_the_gateway(void **state)
{
	static const struct attack row[] = {
		{ SYS_read, { 0 }, ALLOW },
		{ SYS_splice, { 0 }, ALLOW },
		{ SYS_accept4, { 0 }, ALLOW },
		{ SYS_socket, { 2, 0x80801, 0 }, ALLOW },
		{ SYS_socket, { 10, 1, 6 }, ALLOW },
		{ SYS_socket, { 2, 2, 17 }, ALLOW },
		{ SYS_socket, { 16, 0x80003, 0 }, ALLOW },
		{ SYS_socket, { 1, 1, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 2, 1, 262 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 2, 2, 6 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 2, 3, 1 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 16, 3, 12 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 17, 3, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_socket, { 40, 1, 0 }, ERRNO(EAFNOSUPPORT) },
		{ SYS_openat, { 0, 0, 0x80000 }, ALLOW },
		{ SYS_openat, { 0, 0, 1 }, ERRNO(EPERM) },
		{ SYS_openat, { 0, 0, 2 }, ERRNO(EPERM) },
		{ SYS_openat, { 0, 0, 0x40 }, ERRNO(EPERM) },
		{ SYS_openat, { 0, 0, 0x200 }, ERRNO(EPERM) },
		{ SYS_openat, { 0, 0, HIGH | 0x410000 }, ERRNO(EPERM) },
		{ SYS_mmap, { 0, 4096, 3, 0x22 }, ALLOW },
		{ SYS_mmap, { 0, 4096, 5, 0x22 }, ERRNO(EPERM) },
		{ SYS_mmap, { 0, 4096, HIGH | 4, 0x22 }, ERRNO(EPERM) },
		{ SYS_mprotect, { 0, 4096, 5 }, ERRNO(EPERM) },
		{ SYS_pkey_mprotect, { 0, 4096, 5 }, ERRNO(ENOSYS) },
		{ SYS_ioctl, { 0, 0x5411 }, ALLOW },
		{ SYS_ioctl, { 0, HIGH | 0x5412 }, ERRNO(EPERM) },
		{ SYS_prctl, { 39 }, ALLOW },
		{ SYS_prctl, { 4, 1 }, ERRNO(EPERM) },
		{ SYS_prctl, { 22 }, ERRNO(EPERM) },
		{ SYS_execve, { 0 }, ERRNO(EPERM) },
		{ SYS_execveat, { 0 }, ERRNO(EPERM) },
		{ SYS_clone, { 0 }, ERRNO(EPERM) },
		{ SYS_clone, { 0x3d0f00 }, ERRNO(EPERM) },
		{ SYS_clone3, { 0 }, ERRNO(EPERM) },
		{ SYS_listen, { 0 }, ERRNO(EPERM) },
		{ SYS_kill, { 0 }, ERRNO(EPERM) },
		{ SYS_ptrace, { 0 }, ERRNO(EPERM) },
		{ SYS_openat2, { 0 }, ERRNO(ENOSYS) },
		{ SYS_linkat, { 0 }, ERRNO(ENOSYS) },
		{ SYS_renameat2, { 0 }, ERRNO(ENOSYS) },
		{ SYS_fchmodat, { 0 }, ERRNO(ENOSYS) },
		{ SYS_memfd_create, { 0 }, ERRNO(ENOSYS) },
		{ SYS_pidfd_getfd, { 0 }, ERRNO(ENOSYS) },
		{ SYS_seccomp, { 0 }, ERRNO(ENOSYS) },
		{ SYS_io_uring_enter, { 0 }, ERRNO(ENOSYS) },
		{ 9999, { 0 }, ERRNO(ENOSYS) },
		{ -1, { 0 }, ERRNO(ENOSYS) },
#ifdef __x86_64__
		{ 0x40000000, { 0 }, ERRNO(ENOSYS) },
		{ 0x40000000 + 520, { 0 }, ERRNO(ENOSYS) },
#endif
	};

	(void)state;
	attack(&gateway, row, CX_COUNT(row));
}

static void attacks_on_the_scribe(void **state)
{
	static const struct attack row[] = {
		{ SYS_read, { 0 }, ALLOW },
		{ SYS_write, { 0 }, ALLOW },
		{ SYS_flock, { 0 }, ALLOW },
		{ SYS_renameat, { 0 }, ALLOW },
		{ SYS_openat, { 0, 0, 0xa0c42 }, ALLOW },
		{ SYS_openat, { 0, 0, 0x242 }, ERRNO(EPERM) },
		{ SYS_openat, { 0, 0, HIGH | 0x410002 }, ERRNO(EPERM) },
		{ SYS_mmap, { 0, 4096, 3, 0x22 }, ALLOW },
		{ SYS_mmap, { 0, 4096, 5, 0x22 }, ERRNO(EPERM) },
		{ SYS_socket, { 1, 1, 0 }, ERRNO(EPERM) },
		{ SYS_socket, { 2, 1, 0 }, ERRNO(EPERM) },
		{ SYS_connect, { 0 }, ERRNO(ENOSYS) },
		{ SYS_recvmsg, { 0 }, ERRNO(ENOSYS) },
		{ SYS_ioctl, { 0, 0x5411 }, ERRNO(ENOSYS) },
		{ SYS_linkat, { 0 }, ERRNO(ENOSYS) },
		{ SYS_symlinkat, { 0 }, ERRNO(ENOSYS) },
		{ SYS_fchmodat, { 0 }, ERRNO(ENOSYS) },
		{ SYS_execve, { 0 }, ERRNO(EPERM) },
		{ SYS_clone3, { 0 }, ERRNO(EPERM) },
		{ SYS_kill, { 0 }, ERRNO(EPERM) },
		{ SYS_ptrace, { 0 }, ERRNO(EPERM) },
		{ 9999, { 0 }, ERRNO(ENOSYS) },
	};

	(void)state;
	attack(&scribe, row, CX_COUNT(row));
}

static void other_architectures(void **state)
{
	static const uint32_t arch[] = {
		AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_PPC64LE, 0,
	};

	for (size_t i = 0; i < CX_COUNT(arch); i++)
		for (int number = 0; number < NUMBERS; number++) {
			const struct seccomp_data data = {
				.nr = number, .arch = arch[i],
			};

			assert_int_equal(ours(*state, &data),
			                 SECCOMP_RET_KILL_PROCESS);
		}
}

static void finish(scmp_filter_ctx *filter, struct program *ret)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t size;

	assert_int_equal(seccomp_export_bpf(filter, fd), 0);
	size = pread(fd, ret->insn, sizeof ret->insn, 0);
	assert_true(size > 0 && (size_t)size < sizeof ret->insn);
	ret->size = (size_t)size / sizeof ret->insn[0];
	close(fd);
	seccomp_release(filter);
}

static bool is_denial(const struct cx_list_rule *rule)
{
	return rule->count == 1 && rule->choice[0].test[0].differs;
}

/* One combination of a choice's values, turn[i] being the i'th test's. */
static void build_one(const struct cx_list_rule *rule,
                      const struct cx_list_choice *choice, const size_t *turn,
                      struct program *ret)
{
	scmp_filter_ctx *filter = seccomp_init(is_denial(rule)
		? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(rule->error));
	struct scmp_arg_cmp is[CX_LIST_TESTS_MAX];

	assert_true(filter != NULL);
	for (size_t i = 0; i < choice->count; i++)
		is[i] = SCMP_CMP64(choice->test[i].arg, SCMP_CMP_MASKED_EQ,
		                   choice->test[i].mask,
		                   choice->test[i].value[turn[i]]);
	assert_int_equal(seccomp_rule_add_array(filter, is_denial(rule)
		? SCMP_ACT_ERRNO(rule->error) : SCMP_ACT_ALLOW, rule->number,
		(unsigned)choice->count, is), 0);
	finish(filter, ret);
}

/*
 * libseccomp's filters for the rules: one for those without arguments, and
 * one for each combination of values of the others. Not all in one, since
 * 2.5.4 joins equal ends of different rules though they expect different
 * arguments to be loaded, and then lets socket(AF_INET, SOCK_STREAM, 1) pass.
 */
struct theirs {
	struct program plain;
	struct program one[PROGRAMS_MAX];
	const struct cx_list_rule *of[PROGRAMS_MAX];
	size_t count;
};

static void build_rule(const struct cx_list_rule *rule, struct theirs *ret)
{
	for (size_t j = 0; j < rule->count; j++) {
		const struct cx_list_choice *choice = &rule->choice[j];
		size_t turn[CX_LIST_TESTS_MAX] = { 0 };
		size_t i;

		do {
			assert_true(ret->count < PROGRAMS_MAX);
			ret->of[ret->count] = rule;
			build_one(rule, choice, turn, &ret->one[ret->count++]);
			for (i = 0; i < choice->count; i++) {
				if (++turn[i] < choice->test[i].count)
					break;
				turn[i] = 0;
			}
		} while (i < choice->count);
	}
}

static void build(const struct cx_list *list, struct theirs *ret)
{
	scmp_filter_ctx *plain = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));

	assert_true(plain != NULL);
	for (size_t i = 0; i < list->count; i++) {
		const struct cx_list_rule *rule = &list->rule[i];

		if (rule->verdict == CX_LIST_ALLOW)
			seccomp_rule_add(plain, SCMP_ACT_ALLOW, rule->number,
			                 0);
		else if (rule->verdict == CX_LIST_REFUSE &&
		         rule->error != ENOSYS)
			seccomp_rule_add(plain, SCMP_ACT_ERRNO(rule->error),
			                 rule->number, 0);
		build_rule(rule, ret);
	}
	finish(plain, &ret->plain);
}

static uint32_t ask(const struct theirs *theirs,
                    const struct cx_list_rule *rule,
                    const struct seccomp_data *data)
{
	bool denial = rule && rule->count && is_denial(rule);

	if (!rule || rule->count == 0)
		return interpret(theirs->plain.insn, theirs->plain.size, data);
	for (size_t i = 0; i < theirs->count; i++)
		if (theirs->of[i] == rule &&
		    (interpret(theirs->one[i].insn, theirs->one[i].size,
		               data) == ALLOW) != denial)
			return denial ? ERRNO(rule->error) : ALLOW;
	return denial ? ALLOW : ERRNO(rule->error);
}

static void compare(const struct shipped *shipped,
                    const struct theirs *theirs,
                    const struct cx_list_rule *rule,
                    const struct seccomp_data *data)
{
	uint32_t expected = ask(theirs, rule, data);
	uint32_t got = ours(shipped, data);

	if (got != expected)
		fail_msg("call %d (0x%llx, 0x%llx, 0x%llx): 0x%x, not 0x%x",
		         data->nr, data->args[0], data->args[1], data->args[2],
		         got, expected);
}

/* Every value that a rule names, its neighbours and disguises, in every
 * argument that it looks at. */
static void compare_values(const struct shipped *shipped,
                           const struct theirs *theirs,
                           const struct cx_list_rule *rule,
                           struct seccomp_data *data)
{
	static const uint64_t change[] = { 0, 1, HIGH, 0x80000000, 0x100, 0x20 };

	for (size_t i = 0; i < rule->count; i++)
		for (size_t j = 0; j < rule->choice[i].count; j++) {
			const struct cx_list_test *test =
				&rule->choice[i].test[j];

			for (size_t k = 0; k < test->count * 6; k++) {
				data->args[test->arg] = test->value[k / 6] ^
					change[k % 6];
				compare(shipped, theirs, rule, data);
			}
		}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static void same_as_libseccomp(void **state)
{
	static struct cx_list list;
	static struct theirs theirs;
	const struct shipped *shipped = *state;
	size_t at = 0;
	uint64_t seed = 1;

	theirs.count = 0;
	cx_list_read(shipped->list, "share/seccomp/numbers",
	             seccomp_arch_native() == SCMP_ARCH_X86_64 ? "x86_64"
	                                                       : "aarch64",
	             &list);
	assert_true(list.count > shipped->least);
	build(&list, &theirs);
	for (int number = 0; number < NUMBERS; number++) {
		struct seccomp_data data = {
			.nr = number, .arch = seccomp_arch_native(),
		};
		const struct cx_list_rule *rule = NULL;

		if (at < list.count && list.rule[at].number == number)
			rule = &list.rule[at++];
		compare(shipped, &theirs, rule, &data);
		for (int i = 0; rule && rule->count && i < 60; i++) {
			for (int j = 0; j < 3; j++)
				data.args[j] = next_random(&seed) % 24;
			compare(shipped, &theirs, rule, &data);
			compare_values(shipped, &theirs, rule, &data);
		}
	}
	assert_int_equal(at, list.count);
}

/* The table of numbers is ours: it agrees with the headers and libseccomp. */
static void numbers_of(const char *list_name, const char *name, uint32_t arch)
{
	static struct cx_list list;

	cx_list_read(list_name, "share/seccomp/numbers", name, &list);
	for (size_t i = 0; i < list.count; i++) {
		int number = seccomp_syscall_resolve_name_arch(
			arch, list.rule[i].name);

		if (number >= 0)
			assert_int_equal(number, list.rule[i].number);
	}
}

static void numbers(void **state)
{
	const struct shipped *shipped = *state;

	numbers_of(shipped->list, "x86_64", SCMP_ARCH_X86_64);
	numbers_of(shipped->list, "aarch64", SCMP_ARCH_AARCH64);
}

/* The real thing, in a child of ours. */
static void loaded(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		if (cx_caps_no_new_privs() < 0 ||
		    cx_seccomp_load(CX_SECCOMP_COMMAND) < 0)
			_exit(1);
		if (syscall(SYS_keyctl, 0, 0) != -1 || errno != EPERM)
			_exit(2);
		if (syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS)
			_exit(3);
		if (syscall(SYS_unshare, 0x10000000) != -1 || errno != EPERM)
			_exit(4);
		_exit(prctl(PR_GET_SECCOMP) == 2 ? 0 : 5);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(attacks),
		cmocka_unit_test(attacks_on_the_gateway),
		cmocka_unit_test(attacks_on_the_scribe),
		cmocka_unit_test_prestate(other_architectures, &command),
		cmocka_unit_test_prestate(other_architectures, &gateway),
		cmocka_unit_test_prestate(other_architectures, &scribe),
		cmocka_unit_test_prestate(same_as_libseccomp, &command),
		cmocka_unit_test_prestate(same_as_libseccomp, &gateway),
		cmocka_unit_test_prestate(same_as_libseccomp, &scribe),
		cmocka_unit_test_prestate(numbers, &command),
		cmocka_unit_test_prestate(numbers, &gateway),
		cmocka_unit_test_prestate(numbers, &scribe),
		cmocka_unit_test(loaded),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
