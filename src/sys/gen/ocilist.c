/*
 * ocilist.c - the generator: a list of rules in, the same in the form of an OCI
 * runtime's configuration (linux.seccomp) out, as a C string.
 *
 *   ocilist LIST NUMBERS ARCH NAME > HEADER
 *
 * There, the conditions of one entry must all hold, each argument may be
 * looked at once in it, and several entries of one call are alternatives. So
 * "isn't one of these values" is written as the bit patterns of all others:
 * at most 32 of them for each value. Runtimes give what no entry allows the
 * default errno, ENOSYS, where the list says otherwise EPERM: errno alone
 * differs, and there only until our own program is loaded over it.
 */
#include <errno.h>

#include "sys/gen/list.h"

enum { PATTERNS_MAX = 32 * CX_LIST_VALUES_MAX };

/* value under mask; all of an argument's alternatives. */
struct patterns {
	struct { uint32_t mask, value; } item[PATTERNS_MAX];
	size_t count;
};

static const char *separator = "";

static void add(struct patterns *ret, uint32_t mask, uint32_t value)
{
	ret->item[ret->count].mask = mask;
	ret->item[ret->count++].value = value;
}

static bool covers_any(const struct cx_list_test *test, uint32_t mask,
                       uint32_t prefix)
{
	for (size_t i = 0; i < test->count; i++)
		if ((test->value[i] & mask) == prefix)
			return true;
	return false;
}

/* What begins with the upper bits of prefix and isn't one of the values. */
static void add_others(const struct cx_list_test *test, unsigned bits,
                       uint32_t prefix, struct patterns *ret)
{
	uint32_t mask = bits ? UINT32_MAX << (32 - bits) : 0;

	if (!covers_any(test, mask, prefix)) {
		add(ret, mask, prefix);
		return;
	}
	if (bits == 32)
		return;
	add_others(test, bits + 1, prefix, ret);
	add_others(test, bits + 1, prefix | 1U << (31 - bits), ret);
}

static void spell(const struct cx_list_test *test, struct patterns *ret)
{
	ret->count = 0;
	if (test->differs && test->mask != UINT32_MAX) {
		fprintf(stderr, "ocilist: \"!=\" goes without a mask\n");
		exit(1);
	}
	if (test->differs)
		add_others(test, 0, 0, ret);
	for (size_t i = 0; !test->differs && i < test->count; i++)
		add(ret, test->mask, test->value[i]);
}

/* As C texts in quotes, a line each. */
static void begin_entry(void)
{
	printf("\t\"%s{", separator);
	separator = ",";
}

/* Every combination of the patterns of a choice's tests is an entry. */
static void print_choice(const char *name, const struct cx_list_choice *choice)
{
	static struct patterns patterns[CX_LIST_TESTS_MAX];
	size_t at[CX_LIST_TESTS_MAX] = { 0 };
	size_t j = 0;

	for (size_t i = 0; i < choice->count; i++)
		spell(&choice->test[i], &patterns[i]);
	while (j < choice->count) {
		begin_entry();
		printf("\\\"names\\\":[\\\"%s\\\"],"
		       "\\\"action\\\":\\\"SCMP_ACT_ALLOW\\\","
		       "\\\"args\\\":[", name);
		for (size_t i = 0; i < choice->count; i++)
			printf("%s{\\\"index\\\":%u,\\\"value\\\":%u,"
			       "\\\"valueTwo\\\":%u,\\\"op\\\":"
			       "\\\"SCMP_CMP_MASKED_EQ\\\"}", i ? "," : "",
			       choice->test[i].arg,
			       patterns[i].item[at[i]].mask,
			       patterns[i].item[at[i]].value);
		printf("]}\"\n");
		for (j = 0; j < choice->count; j++) {
			if (++at[j] < patterns[j].count)
				break;
			at[j] = 0;
		}
	}
}

static bool is_of(const struct cx_list_rule *rule, uint32_t error)
{
	if (error == 0)
		return rule->verdict == CX_LIST_ALLOW;
	return rule->verdict == CX_LIST_REFUSE && rule->error == error;
}

/* All calls with one verdict; error 0 is "allowed". */
static void print_plain(const struct cx_list *list, uint32_t error)
{
	const char *comma = "";

	begin_entry();
	printf("\\\"names\\\":[");
	for (size_t i = 0; i < list->count; i++) {
		if (!is_of(&list->rule[i], error))
			continue;
		printf("%s\\\"%s\\\"", comma, list->rule[i].name);
		comma = ",";
	}
	if (error == 0)
		printf("],\\\"action\\\":\\\"SCMP_ACT_ALLOW\\\"}\"\n");
	else
		printf("],\\\"action\\\":\\\"SCMP_ACT_ERRNO\\\","
		       "\\\"errnoRet\\\":%u}\"\n", error);
}

/* Only these two are written: ENOSYS is the default. */
static void check(const struct cx_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rule[i].verdict == CX_LIST_REFUSE &&
		    list->rule[i].error != EPERM &&
		    list->rule[i].error != ENOSYS) {
			fprintf(stderr, "ocilist: refuse %s with what?\n",
			        list->rule[i].name);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	static struct cx_list list;
	bool x86 = argc == 5 && strcmp(argv[3], "x86_64") == 0;

	if (argc != 5 || (!x86 && strcmp(argv[3], "aarch64") != 0)) {
		fprintf(stderr, "usage: ocilist LIST NUMBERS ARCH NAME\n");
		return 64;
	}
	cx_list_read(argv[1], argv[2], argv[3], &list);
	check(&list);
	printf("/* Made from %s; change that. */\n"
	       "static const char %s_oci[] =\n"
	       "\t\"{\\\"defaultAction\\\":\\\"SCMP_ACT_ERRNO\\\","
	       "\\\"defaultErrnoRet\\\":%d,\"\n"
	       "\t\"\\\"architectures\\\":[\\\"SCMP_ARCH_%s\\\"],"
	       "\\\"syscalls\\\":[\"\n", argv[1], argv[4], ENOSYS,
	       x86 ? "X86_64" : "AARCH64");
	print_plain(&list, 0);
	print_plain(&list, EPERM);
	for (size_t i = 0; i < list.count; i++)
		for (size_t j = 0; j < list.rule[i].count; j++)
			print_choice(list.rule[i].name,
			             &list.rule[i].choice[j]);
	printf("\t\"]}\";\n");
	return fflush(stdout) == 0 ? 0 : 74;
}
