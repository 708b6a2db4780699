/*
 * bpf.c - the generator: a list of rules in, a filter program out, as C.
 *
 *   bpf LIST NUMBERS ARCH NAME > HEADER
 *
 * Shape and length decide what a filter costs when it is loaded: the kernel
 * tries every number to learn which are always allowed (those never run it
 * again), and compiles what it is given. So: one check of the architecture,
 * then a balanced tree over runs of neighbouring numbers with the same
 * verdict, whose leaves are three shared ends; arguments are looked at only
 * behind it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "sys/gen/list.h"

enum { CODE_MAX = 4096, RUNS_MAX = 1024, LABELS_MAX = 2048 };

/* Where a jump goes: to what follows, to a shared end, or to a place that is
 * known later. */
enum { NEXT, END_ALLOW, END_REFUSE, END_UNKNOWN, LABELS_FIRST };

struct insn {
	unsigned code;
	uint32_t k;
	int if_true, if_false; /* labels */
};

struct code {
	struct insn insn[CODE_MAX];
	size_t size;
	size_t place[LABELS_MAX]; /* of each label */
	int labels;
};

/* Numbers from start up to the next run's. */
struct run {
	uint32_t start;
	const struct cx_list_rule *rule; /* NULL: unknown */
	int label;                       /* of its verdict */
};

struct runs {
	struct run run[RUNS_MAX];
	size_t count;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "bpf: %s\n", what);
	exit(1);
}

static void emit(struct code *code, unsigned op, uint32_t k, int if_true,
                 int if_false)
{
	if (code->size == CODE_MAX)
		fail("the filter is too long");
	code->insn[code->size++] = (struct insn){ op, k, if_true, if_false };
}

static int new_label(struct code *code)
{
	if (code->labels == LABELS_MAX)
		fail("too many labels");
	return code->labels++;
}

static void put_label(struct code *code, int label)
{
	code->place[label] = code->size;
}

static void emit_end(struct code *code, uint32_t verdict)
{
	emit(code, BPF_RET | BPF_K, verdict, NEXT, NEXT);
}

/* Goes on behind when the test holds, else to otherwise. */
static void emit_test(struct code *code, const struct cx_list_test *test,
                      int otherwise)
{
	int holds = new_label(code);

	/* both architectures are little-endian: the low half comes first */
	emit(code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, args) + 8 * test->arg,
	     NEXT, NEXT);
	if (test->mask != UINT32_MAX)
		emit(code, BPF_ALU | BPF_AND | BPF_K, test->mask, NEXT, NEXT);
	for (size_t i = 0; i < test->count; i++) {
		bool last = i + 1 == test->count;

		if (test->differs)
			emit(code, BPF_JMP | BPF_JEQ | BPF_K, test->value[i],
			     otherwise, NEXT);
		else
			emit(code, BPF_JMP | BPF_JEQ | BPF_K, test->value[i],
			     holds, last ? otherwise : NEXT);
	}
	put_label(code, holds);
}

static void emit_rule(struct code *code, const struct cx_list_rule *rule)
{
	for (size_t i = 0; i < rule->count; i++) {
		const struct cx_list_choice *choice = &rule->choice[i];
		int otherwise = new_label(code);

		for (size_t j = 0; j < choice->count; j++)
			emit_test(code, &choice->test[j], otherwise);
		emit_end(code, SECCOMP_RET_ALLOW);
		put_label(code, otherwise);
	}
	emit_end(code, SECCOMP_RET_ERRNO | rule->error);
}

/* A half of one run is a jump to its verdict. */
static int half_label(struct code *code, const struct run *run, size_t count)
{
	return count == 1 ? run[0].label : new_label(code);
}

/* "at least the right half's start: right, else left". */
static void emit_tree(struct code *code, const struct run *run, size_t count)
{
	size_t half = count / 2;
	int left;
	int right;

	if (count == 1)
		return;
	left = half_label(code, run, half);
	right = half_label(code, run + half, count - half);
	emit(code, BPF_JMP | BPF_JGE | BPF_K, run[half].start, right, left);
	if (half > 1)
		put_label(code, left);
	emit_tree(code, run, half);
	if (count - half > 1)
		put_label(code, right);
	emit_tree(code, run + half, count - half);
}

static void emit_ends(struct code *code)
{
	put_label(code, END_ALLOW);
	emit_end(code, SECCOMP_RET_ALLOW);
	put_label(code, END_REFUSE);
	emit_end(code, SECCOMP_RET_ERRNO | EPERM);
	put_label(code, END_UNKNOWN);
	emit_end(code, SECCOMP_RET_ERRNO | ENOSYS);
}

static unsigned distance(const struct code *code, size_t from, int label)
{
	size_t gap = label == NEXT ? 0 : code->place[label] - from - 1;

	if (gap > 255)
		fail("a jump is too far");
	return (unsigned)gap;
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
	runs->run[runs->count++] = (struct run){ start, rule, NEXT };
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

static int label_of(struct code *code, const struct cx_list_rule *rule)
{
	if (!rule || (rule->verdict == CX_LIST_REFUSE && rule->error == ENOSYS))
		return END_UNKNOWN;
	if (rule->verdict == CX_LIST_ALLOW)
		return END_ALLOW;
	if (rule->verdict == CX_LIST_REFUSE && rule->error == EPERM)
		return END_REFUSE;
	return new_label(code);
}

static void emit_all(struct code *code, uint32_t arch, struct runs *runs)
{
	int native;

	code->labels = LABELS_FIRST;
	native = new_label(code);
	for (size_t i = 0; i < runs->count; i++)
		runs->run[i].label = label_of(code, runs->run[i].rule);
	emit(code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, arch), NEXT, NEXT);
	emit(code, BPF_JMP | BPF_JEQ | BPF_K, arch, native, NEXT);
	emit_end(code, SECCOMP_RET_KILL_PROCESS);
	put_label(code, native);
	emit(code, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)offsetof(struct seccomp_data, nr), NEXT, NEXT);
	emit_tree(code, runs->run, runs->count);
	emit_ends(code);
	for (size_t i = 0; i < runs->count; i++) {
		if (runs->run[i].label < LABELS_FIRST)
			continue;
		put_label(code, runs->run[i].label);
		emit_rule(code, runs->run[i].rule);
	}
}

static void print(const struct code *code, const char *name, const char *list)
{
	printf("/* Made from %s; change that. */\n"
	       "static const struct sock_filter %s_filter[%zu] = {\n",
	       list, name, code->size);
	for (size_t i = 0; i < code->size; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", code->insn[i].code,
		       distance(code, i, code->insn[i].if_true),
		       distance(code, i, code->insn[i].if_false),
		       code->insn[i].k);
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
	emit_all(&code, x86 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64, &runs);
	print(&code, argv[4], argv[1]);
	return fflush(stdout) == 0 ? 0 : 74;
}
