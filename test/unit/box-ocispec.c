/* Unit tests of box/ocispec: what a plan becomes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "box/ocispec.h"
#include "data/json.h"

static const struct cx_plan_item volume = {
	.step = CX_STEP_WORKSPACE, .source = CX_SOURCE_VOLUME,
	.name = "j-abc", .target = "/workspace", .writable = true,
};

static json_t *config_of(const char *type, const char *source)
{
	return json_pack("{s:[{s:s, s:s, s:s}], s:{s:{}}}", "mounts",
	                 "destination", "/x", "type", type, "source", source,
	                 "linux", "seccomp");
}

static void test_sources(void **state)
{
	static const struct {
		const char *type, *source;
		bool ours;
	} row[] = {
		{ "proc", "proc", true },
		{ "tmpfs", "tmpfs", true },
		{ "bind", "j-abc", true },
		{ "bind", "dev", true },
		{ "bind", "run", true },
		{ "bind", "j-abd", false },
		{ "bind", "/etc", false },
		{ "bind", "dev/null", false },
		{ "bind", "..", false },
		{ "bind", "", false },
		{ "ext4", "/dev/vda", false },
		{ "sysfs", "sysfs", false },
		{ "none", "/", false },
	};
	struct cx_plan *plan = calloc(1, sizeof *plan);

	(void)state;
	plan->item[plan->count++] = volume;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_JSON json_t *config = config_of(row[i].type,
		                                        row[i].source);
		struct cx_err err = { 0 };
		int done = cx_ocispec_check(config, plan, &err);

		assert_int_equal(done, row[i].ours ? 0 : -1);
		if (!row[i].ours)
			assert_int_equal(err.code, CX_E_BIND_MOUNT_REFUSED);
	}
	free(plan);
}

static void test_no_filter(void **state)
{
	CX_AUTO_JSON json_t *config = json_pack("{s:[], s:{s:n}}", "mounts",
	                                        "linux", "seccomp");
	struct cx_plan *plan = calloc(1, sizeof *plan);
	struct cx_err err = { 0 };

	(void)state;
	assert_int_equal(cx_ocispec_check(config, plan, &err), -1);
	free(plan);
}

/* The same box, for ourselves and for anybody. */
static void test_arguments(void **state)
{
	struct cx_profile profile = { .cwd = NULL };
	struct cx_quota quota;
	struct cx_plan *plan = calloc(1, sizeof *plan);
	struct cx_box box;
	struct cx_ocispec spec = { .box = &box, .plan = plan };

	(void)state;
	cx_quota_default(&quota);
	cx_profile_make(&quota, &profile);
	plan->item[plan->count++] = volume;
	cx_box_start(&box);
	box.profile = &profile;
	box.id = "j-abc-1";
	box.command = "true";
	for (int hosted = 0; hosted < 2; hosted++) {
		CX_AUTO_JSON json_t *config = NULL;
		const json_t *args;
		struct cx_err err = { 0 };

		spec.hosted = hosted;
		config = cx_ocispec_make(&spec);
		assert_non_null(config);
		assert_int_equal(cx_ocispec_check(config, plan, &err), 0);
		args = json_object_get(json_object_get(config, "process"),
		                       "args");
		assert_int_equal(json_array_size(args), hosted ? 5 : 3);
		assert_string_equal(json_string_value(json_array_get(args, 0)),
		                    hosted ? CX_OCISPEC_INNER : "/bin/bash");
	}
	cx_profile_done(&profile);
	free(plan);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_no_filter),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
