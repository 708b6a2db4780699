/* Unit test of sys/ocifilter: the configuration's form of the list allows what
 * the list allows, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/json.h"
#include "sys/gen/list.h"
#include "sys/ocifilter.h"

enum { ARGUMENTS = 6, TRIES = 4000 };

static bool holds(const struct cx_list_test *test, const uint64_t *arg)
{
	uint32_t value = (uint32_t)arg[test->arg] & test->mask;

	for (size_t i = 0; i < test->count; i++)
		if (value == test->value[i])
			return !test->differs;
	return test->differs;
}

static bool list_allows(const struct cx_list_rule *rule, const uint64_t *arg)
{
	for (size_t i = 0; i < rule->count; i++) {
		bool all = true;

		for (size_t j = 0; j < rule->choice[i].count; j++)
			all = all && holds(&rule->choice[i].test[j], arg);
		if (all)
			return true;
	}
	return rule->verdict == CX_LIST_ALLOW;
}

/* As runtimes read an entry: each condition holds, masked equality only. */
static bool entry_allows(const json_t *entry, const uint64_t *arg)
{
	const json_t *args = json_object_get(entry, "args");

	if (strcmp(cx_json_text(entry, "action"), "SCMP_ACT_ALLOW") != 0)
		return false;
	for (size_t i = 0; i < json_array_size(args); i++) {
		const json_t *test = json_array_get(args, i);
		uint64_t mask = (uint64_t)cx_json_number(test, "value", -1);
		uint64_t value = (uint64_t)cx_json_number(test, "valueTwo", -1);
		int64_t index = cx_json_number(test, "index", -1);

		assert_string_equal(cx_json_text(test, "op"),
		                    "SCMP_CMP_MASKED_EQ");
		assert_in_range(index, 0, ARGUMENTS - 1);
		/* an argument that an entry looks at twice is an
		 * alternative to runc, and a fault to libseccomp */
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(index, cx_json_number(
				json_array_get(args, j), "index", -1));
		if ((arg[index] & mask) != value)
			return false;
	}
	return true;
}

static bool names(const json_t *entry, const char *name)
{
	const json_t *list = json_object_get(entry, "names");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_array_get(list, i)),
		           name) == 0)
			return true;
	return false;
}

/* The entries of one call. */
static json_t *entries_of(const json_t *filter, const char *name)
{
	const json_t *all = json_object_get(filter, "syscalls");
	json_t *mine = json_array();

	for (size_t i = 0; i < json_array_size(all); i++)
		if (names(json_array_get(all, i), name))
			json_array_append(mine, json_array_get(all, i));
	return mine;
}

static bool oci_allows(const json_t *entries, const uint64_t *arg)
{
	for (size_t i = 0; i < json_array_size(entries); i++)
		if (entry_allows(json_array_get(entries, i), arg))
			return true;
	return false;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 11 ^ *seed << 53;
}

/* A value of the rule's, a bit beside one, or anything; high halves too. */
static uint64_t near(const struct cx_list_rule *rule, uint64_t *seed)
{
	const struct cx_list_choice *choice;
	const struct cx_list_test *test;
	uint64_t value = next_random(seed);

	if (rule->count == 0 || next_random(seed) % 4 == 0)
		return value;
	choice = &rule->choice[next_random(seed) % rule->count];
	test = &choice->test[next_random(seed) % choice->count];
	value = test->value[next_random(seed) % test->count];
	if (next_random(seed) % 2)
		value ^= 1ULL << next_random(seed) % 40;
	return value;
}

static void check_rule(const json_t *filter, const struct cx_list_rule *rule,
                       uint64_t *seed)
{
	CX_AUTO_JSON json_t *entries = entries_of(filter, rule->name);
	int tries = rule->count ? TRIES : 4;

	for (int i = 0; i < tries; i++) {
		uint64_t arg[ARGUMENTS];

		for (int j = 0; j < ARGUMENTS; j++)
			arg[j] = near(rule, seed);
		if (list_allows(rule, arg) != oci_allows(entries, arg))
			fail_msg("%s: %llx %llx %llx", rule->name,
			         (unsigned long long)arg[0],
			         (unsigned long long)arg[1],
			         (unsigned long long)arg[2]);
	}
}

static void same_as_the_list(void **state)
{
	static struct cx_list list;
	CX_AUTO_JSON json_t *filter = NULL;
	struct cx_err err = { 0 };
	uint64_t seed = 20010;
	size_t size;
	const char *text = cx_ocifilter_get(&size);

	(void)state;
	assert_int_equal(cx_json_parse(text, size, "filter", &filter, &err),
	                 0);
#ifdef __x86_64__
	cx_list_read("share/seccomp/command.list", "share/seccomp/numbers",
	             "x86_64", &list);
#else
	cx_list_read("share/seccomp/command.list", "share/seccomp/numbers",
	             "aarch64", &list);
#endif
	assert_true(list.count > 300);
	for (size_t i = 0; i < list.count; i++)
		check_rule(filter, &list.rule[i], &seed);
	assert_string_equal(cx_json_text(filter, "defaultAction"),
	                    "SCMP_ACT_ERRNO");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
