/* box-plan.c - what a plan holds, and that no host path passes its check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "box/box.h"

#define DIGEST "sha256:" \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct world {
	struct cx_profile profile;
	struct cx_box box;
	struct cx_plan plan;
};

static struct world *make(bool privileged, bool groups, const char *workspace)
{
	struct world *world = cx_mem_new(sizeof *world);
	const struct cx_plan_world facts = {
		.privileged = privileged, .groups = groups,
	};
	struct cx_quota quota;
	struct cx_err err;

	cx_quota_default(&quota);
	cx_profile_make(&quota, &world->profile);
	cx_box_start(&world->box);
	world->box.profile = &world->profile;
	world->box.id = "j-1";
	world->box.layer[0].digest = DIGEST;
	world->box.layer_count = 1;
	world->box.workspace_name = workspace;
	world->box.command = "true";
	if (cx_plan_make(&world->box, &facts, &world->plan, &err) < 0)
		fail_msg("%s", err.text);
	return world;
}

static void done(struct world *world)
{
	cx_profile_done(&world->profile);
	free(world);
}

static struct cx_plan_item *find(struct world *world, enum cx_step step)
{
	for (size_t i = 0; i < world->plan.count; i++)
		if (world->plan.item[i].step == step)
			return &world->plan.item[i];
	return NULL;
}

static void passes_its_own_plans(void **state)
{
	struct cx_err err;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct world *world = make(i & 1, i & 2, "j-abc");

		assert_int_equal(cx_plan_check(&world->plan, &err), 0);
		done(world);
	}
}

static size_t place(const struct cx_plan *plan, enum cx_step step)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].step == step)
			return i;
	return plan->count;
}

/* What is the command's own comes in before rights are given up, and after
 * everything else was mounted. */
static void waits_between_mounts_and_identity(void **state)
{
	const struct cx_plan_world facts = {
		.privileged = true, .groups = true, .waits = true,
	};
	struct world *world = make(true, true, "j-abc");
	struct cx_plan *plan = &world->plan;
	size_t count = plan->count;
	struct cx_err err;

	(void)state;
	assert_null(find(world, CX_STEP_AWAIT));
	assert_int_equal(cx_plan_make(&world->box, &facts, plan, &err), 0);
	assert_int_equal(cx_plan_check(plan, &err), 0);
	assert_int_equal(plan->count, count + 1);
	assert_true(place(plan, CX_STEP_PIVOT) < place(plan, CX_STEP_AWAIT));
	assert_true(place(plan, CX_STEP_ENTER_CGROUP) <
	            place(plan, CX_STEP_AWAIT));
	assert_int_equal(place(plan, CX_STEP_WORKSPACE),
	                 place(plan, CX_STEP_AWAIT) + 1);
	assert_int_equal(place(plan, CX_STEP_IDENTITY),
	                 place(plan, CX_STEP_WORKSPACE) + 1);
	done(world);
}

static void refuses_host_paths(void **state)
{
	static const char *const bad[] = {
		"", "/", "/etc", "etc/passwd", "../x", "a/b", ".", "..",
		".hidden", "a b", "a\n", "/var/run/docker.sock", "~",
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		struct world *world = make(true, true, bad[i]);

		assert_int_equal(cx_plan_check(&world->plan, &err), -1);
		assert_int_equal(err.code, CX_E_BIND_MOUNT_REFUSED);
		done(world);
	}
}

static void refuses_layers_without_digest(void **state)
{
	static const char *const bad[] = {
		"/", "sha256:00", "debian", "/srv/root", "sha512:" DIGEST,
		DIGEST "0", "SHA256:e3b0c442",
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		struct world *world = make(true, true, "j-abc");

		for (size_t n = 0; n < world->plan.count; n++)
			if (world->plan.item[n].source == CX_SOURCE_LAYER)
				snprintf(world->plan.item[n].name,
				         CX_PLAN_NAME_MAX, "%s", bad[i]);
		assert_int_equal(cx_plan_check(&world->plan, &err), -1);
		assert_int_equal(err.code, CX_E_BIND_MOUNT_REFUSED);
		done(world);
	}
}

static void refuses_what_mounts_something_else(void **state)
{
	static const struct {
		enum cx_step step;
		enum cx_source source;
		const char *name;
	} bad[] = {
		{ CX_STEP_TMP, CX_SOURCE_KERNEL, "/tmp" },
		{ CX_STEP_TMP, CX_SOURCE_KERNEL, "sysfs" },
		{ CX_STEP_PROC, CX_SOURCE_KERNEL, "cgroup" },
		{ CX_STEP_DEVICE, CX_SOURCE_DEVICE, "sda" },
		{ CX_STEP_DEVICE, CX_SOURCE_DEVICE, "../etc" },
		{ CX_STEP_DEVICE, CX_SOURCE_DEVICE, "mem" },
		{ CX_STEP_ROOT, CX_SOURCE_MADE, "/" },
		{ CX_STEP_PIVOT, CX_SOURCE_NONE, "/" },
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		struct world *world = make(false, false, "j-abc");
		struct cx_plan_item *item = find(world, bad[i].step);

		assert_non_null(item);
		item->source = bad[i].source;
		snprintf(item->name, CX_PLAN_NAME_MAX, "%s", bad[i].name);
		assert_int_equal(cx_plan_check(&world->plan, &err), -1);
		assert_int_equal(err.code, CX_E_BIND_MOUNT_REFUSED);
		done(world);
	}
}

static void refuses_a_fourth_writable_mount(void **state)
{
	static const enum cx_step step[] = {
		CX_STEP_ROOT, CX_STEP_DEV, CX_STEP_PROC,
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(step); i++) {
		struct world *world = make(true, false, "j-abc");

		find(world, step[i])->writable = true;
		assert_int_equal(cx_plan_check(&world->plan, &err), -1);
		done(world);
	}
}

/* No step of init's before the last ones of the command's, and each of the
 * dangerous ones where it has to be. */
static void orders_its_steps(void **state)
{
	static const enum cx_step order[] = {
		CX_STEP_CLONE, CX_STEP_CLOSE, CX_STEP_PRIVATE, CX_STEP_ROOT,
		CX_STEP_PROC, CX_STEP_NETWORK, CX_STEP_PIVOT,
		CX_STEP_IDENTITY, CX_STEP_NO_USERNS, CX_STEP_CAPABILITIES,
		CX_STEP_FORK, CX_STEP_LANDLOCK, CX_STEP_SECCOMP, CX_STEP_EXEC,
	};
	struct world *world = make(true, true, "j-abc");
	const struct cx_plan_item *before = NULL;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(order); i++) {
		const struct cx_plan_item *item = find(world, order[i]);

		assert_non_null(item);
		assert_true(!before || item > before);
		before = item;
	}
	assert_int_equal(world->plan.item[world->plan.count - 1].step,
	                 CX_STEP_EXEC);
	assert_null(find(world, CX_STEP_BROKER));
	done(world);
}

static void prints_a_line_for_each(void **state)
{
	struct world *world = make(false, false, "j-abc");
	CX_AUTO_BUF struct cx_buf text = { 0 };
	size_t lines = 0;

	(void)state;
	cx_plan_print(&world->plan, &text);
	for (size_t i = 0; i < text.size; i++)
		lines += text.data[i] == '\n';
	assert_int_equal(lines, world->plan.count);
	assert_non_null(strstr(text.data, "volume j-abc -> /workspace"));
	done(world);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(passes_its_own_plans),
		cmocka_unit_test(waits_between_mounts_and_identity),
		cmocka_unit_test(refuses_host_paths),
		cmocka_unit_test(refuses_layers_without_digest),
		cmocka_unit_test(refuses_what_mounts_something_else),
		cmocka_unit_test(refuses_a_fourth_writable_mount),
		cmocka_unit_test(orders_its_steps),
		cmocka_unit_test(prints_a_line_for_each),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
