/* model-profile.c - names, reserved names, canonical form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "model/profile.h"

static void names(void **state)
{
	static const struct {
		const char *name;
		bool fits;
	} row[] = {
		{ "A", true },      { "_", true },    { "OK_1", true },
		{ "lower", true },  { "", false },    { "1A", false },
		{ "A B", false },   { "X=Y", false }, { "A-B", false },
		{ "\xc3\xa9", false },
	};
	char longest[130];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_profile_is_name(row[i].name), row[i].fits);
	memset(longest, 'A', 129);
	longest[129] = '\0';
	assert_false(cx_profile_is_name(longest));
	longest[128] = '\0';
	assert_true(cx_profile_is_name(longest));
}

static void reserved(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} row[] = {
		{ "LD_PRELOAD", true },  { "LD_", true },
		{ "LDFLAGS", false },    { "BASH_ENV", true },
		{ "ENV", true },         { "ENVIRONMENT", false },
		{ "http_proxy", true },  { "HTTP_PROXY", true },
		{ "Http_Proxy", true },  { "no_proxy", true },
		{ "PATH", true },        { "HOME", true },
		{ "PIP_USER", true },    { "CX_STATE", true },
		{ "API_URL", false },    { "PYTHONPATH", false },
		{ "BASH_FUNC_x", true }, { "MY_LD_PRELOAD", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_profile_is_reserved(row[i].name),
		                 row[i].is);
}

static void threads_follow_the_quota(void **state)
{
	static const struct {
		uint64_t milli;
		const char *count;
	} row[] = { { 1000, "1" }, { 1001, "2" }, { 500, "1" }, { 4000, "4" } };

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_quota quota;
		CX_AUTO_PROFILE struct cx_profile profile = { 0 };

		cx_quota_default(&quota);
		quota.cpus_milli = row[i].milli;
		cx_profile_make(&quota, &profile);
		assert_string_equal(cx_profile_get(&profile, "OMP_NUM_THREADS"),
		                    row[i].count);
	}
}

static void canonical(void **state)
{
	struct cx_quota quota;
	CX_AUTO_PROFILE struct cx_profile profile = { 0 };
	CX_AUTO_BUF struct cx_buf one = { 0 };
	CX_AUTO_BUF struct cx_buf two = { 0 };

	(void)state;
	cx_quota_default(&quota);
	cx_profile_make(&quota, &profile);
	assert_true(cx_profile_set(&profile, "B", "a\"b\\c\n\x01\xc3\xa9"));
	assert_true(cx_profile_set(&profile, "A", "1"));
	cx_profile_write(&profile, &one);
	assert_non_null(strstr(one.data, "\"A=1\","));
	assert_non_null(strstr(one.data,
	                       "\"B=a\\\"b\\\\c\\n\\u0001\xc3\xa9\","));
	assert_non_null(strstr(one.data, "\"file_size_bytes\":268435456"));
	assert_true(cx_profile_set(&profile, "A", "2"));
	cx_profile_write(&profile, &two);
	assert_string_not_equal(one.data, two.data);
}

static void full(void **state)
{
	struct cx_quota quota;
	CX_AUTO_PROFILE struct cx_profile profile = { 0 };
	char name[16];
	unsigned made = 0;

	(void)state;
	cx_quota_default(&quota);
	cx_profile_make(&quota, &profile);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "V%u", i);
		made += cx_profile_set(&profile, name, "x");
	}
	assert_int_equal(profile.env_count, CX_PROFILE_ENV_MAX);
	assert_true(made < 200);
	assert_true(cx_profile_set(&profile, "V0", "again"));
	assert_string_equal(cx_profile_get(&profile, "V0"), "again");
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(reserved),
		cmocka_unit_test(threads_follow_the_quota),
		cmocka_unit_test(canonical),
		cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
