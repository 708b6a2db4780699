/*
 * bpf.c - the generator: a list of rules in, a filter program out, as C.
 *
 *   bpf LIST NUMBERS ARCH NAME > HEADER
 *
 * Shape decides what a filter costs, not length: when it is loaded the kernel
 * tries every number to learn which are always allowed, and those never run
 * it again. So: one check of the architecture, then a balanced tree over runs
 * of neighbouring numbers with the same verdict, and arguments looked at only
 * in its leaves.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "sys/gen/list.h"

enum { CODE_MAX = 4096, RUNS_MAX = 1024 };

struct code {
	struct sock_filter insn[CODE_MAX];
	size_t size;
};

/* Numbers from start up to the next run's. */
struct run {
	uint32_t start;
	const struct cx_list_rule *rule; /* NULL: unknown */
};

struct runs {
	struct run run[RUNS_MAX];
	size_t count;
};

static void emit(struct code *code, unsigned op, uint32_t k, unsigned if_true,
                 unsigned if_false)
{
	if (code->size == CODE_MAX || if_true > 255 || if_false > 255) {
		fprintf(stderr, "bpf: the filter is too long\n");
		exit(1);
	}
	code->insn[code->size++] = (struct sock_filter){
		(uint16_t)op, (uint8_t)if_true, (uint8_t)if_false, k
	};
}

static void emit_return(struct code *code, const struct cx_list_rule *rule)
{
	uint32_t verdict = SECCOMP_RET_ERRNO | ENOSYS;

	if (rule && rule->verdict == CX_LIST_ALLOW)
		verdict = SECCOMP_RET_ALLOW;
	else if (rule)
		verdict = SECCOMP_RET_ERRNO | rule->error;
	emit(code, BPF_RET | BPF_K, verdict, 0, 0);
}

/* Leaves open where a failed test goes: those instructions' numbers are put
 * in ret_open, and close_tests points them to what comes after. */
static size_t emit_test(struct code *code, const struct cx_list_test *test,
                        size_t *ret_open)
{
	size_t open = 0;

	/* both architectures are little-endian: the low half comes first */
	emit(code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, args) + 8 * test->arg,
	     0, 0);
	if (test->mask != UINT32_MAX)
		emit(code, BPF_ALU | BPF_AND | BPF_K, test->mask, 0, 0);
	for (size_t i = 0; i < test->count; i++) {
		size_t left = test->count - 1 - i;

		if (test->differs || left == 0)
			ret_open[open++] = code->size;
		emit(code, BPF_JMP | BPF_JEQ | BPF_K, test->value[i],
		     test->differs ? 0 : (unsigned)left, 0);
	}
	return open;
}

static void close_tests(struct code *code, const size_t *open, size_t count,
                        const bool *differs)
{
	for (size_t i = 0; i < count; i++) {
		size_t gap = code->size - open[i] - 1;
		struct sock_filter *insn = &code->insn[open[i]];

		if (gap > 255) {
			fprintf(stderr, "bpf: a rule is too long\n");
			exit(1);
		}
		if (differs[i])
			insn->jt = (uint8_t)gap;
		else
			insn->jf = (uint8_t)gap;
	}
}

static void emit_leaf(struct code *code, const struct cx_list_rule *rule)
{
	static const struct cx_list_rule allow = { .verdict = CX_LIST_ALLOW };

	for (size_t i = 0; rule && i < rule->count; i++) {
		const struct cx_list_choice *choice = &rule->choice[i];
		size_t open[CX_LIST_TESTS_MAX * CX_LIST_VALUES_MAX];
		bool differs[CX_LIST_TESTS_MAX * CX_LIST_VALUES_MAX];
		size_t count = 0;

		for (size_t j = 0; j < choice->count; j++) {
			size_t more = emit_test(code, &choice->test[j],
			                        open + count);

			for (size_t k = 0; k < more; k++)
				differs[count++] = choice->test[j].differs;
		}
		emit_return(code, &allow);
		close_tests(code, open, count, differs);
	}
	emit_return(code, rule);
}

/* "at least the right half's start: right, else left"; the left half follows
 * at once, and a jump too far for eight bits takes a longer one. */
static void emit_tree(struct code *code, const struct run *run, size_t count)
{
	size_t half = count / 2;
	size_t at = code->size;
	size_t left;

	if (count == 1) {
		emit_leaf(code, run[0].rule);
		return;
	}
	emit(code, BPF_JMP | BPF_JGE | BPF_K, run[half].start, 0, 0);
	emit_tree(code, run, half);
	left = code->size - at - 1;
	if (left <= 255) {
		code->insn[at].jt = (uint8_t)left;
	} else {
		emit(code, BPF_JMP | BPF_JA, 0, 0, 0);
		memmove(&code->insn[at + 2], &code->insn[at + 1],
		        left * sizeof code->insn[0]);
		code->insn[at].jf = 1;
		code->insn[at + 1] = (struct sock_filter){
			BPF_JMP | BPF_JA, 0, 0, (uint32_t)left
		};
	}
	emit_tree(code, run + half, count - half);
}

static bool same(const struct cx_list_rule *one,
                 const struct cx_list_rule *two)
{
	if (!one || !two)
		return one == two;
	return one->verdict == two->verdict && one->error == two->error &&
	       one->count == 0 && two->count == 0;
}

static void add_run(struct runs *runs, uint32_t start,
                    const struct cx_list_rule *rule)
{
	if (runs->count && same(runs->run[runs->count - 1].rule, rule))
		return;
	runs->run[runs->count++] = (struct run){ start, rule };
}

/* The last run has no end: there lie x32's calls, from 0x40000000 on. */
static void make_runs(const struct cx_list *list, struct runs *ret)
{
	uint32_t next = 0;

	for (size_t i = 0; i < list->count; i++) {
		uint32_t number = (uint32_t)list->rule[i].number;

		if (number > next)
			add_run(ret, next, NULL);
		add_run(ret, number, &list->rule[i]);
		next = number + 1;
	}
	add_run(ret, next, NULL);
}

static void print(const struct code *code, const char *name, const char *list)
{
	printf("/* Made from %s; change that. */\n"
	       "static const struct sock_filter %s_filter[%zu] = {\n",
	       list, name, code->size);
	for (size_t i = 0; i < code->size; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", code->insn[i].code,
		       code->insn[i].jt, code->insn[i].jf, code->insn[i].k);
	printf("};\n");
}

int main(int argc, char **argv)
{
	static struct cx_list list;
	static struct code code;
	static struct runs runs;
	bool x86 = argc == 5 && strcmp(argv[3], "x86_64") == 0;

	if (argc != 5 || (!x86 && strcmp(argv[3], "aarch64") != 0)) {
		fprintf(stderr, "usage: bpf LIST NUMBERS ARCH NAME\n");
		return 64;
	}
	cx_list_read(argv[1], argv[2], argv[3], &list);
	make_runs(&list, &runs);
	emit(&code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, arch), 0, 0);
	emit(&code, BPF_JMP | BPF_JEQ | BPF_K,
	     x86 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64, 1, 0);
	emit(&code, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	emit(&code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, nr), 0, 0);
	emit_tree(&code, runs.run, runs.count);
	print(&code, argv[4], argv[1]);
	return fflush(stdout) == 0 ? 0 : 74;
}
