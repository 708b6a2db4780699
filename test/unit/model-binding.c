/*
 * model-binding.c - the whole table of bindings: every placement, readiness,
 * organization, posture and declaration, against the rule in other words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "model/binding.h"

enum { ROWS = 3 * 3 * 2 * 3 * 3 * 3 * 3 };

static struct cx_binding row_of(unsigned n)
{
	struct cx_binding row;

	row.placement = n % 3;
	n /= 3;
	row.readiness = n % 3;
	n /= 3;
	row.org_off = n % 2;
	n /= 2;
	row.package = n % 3;
	n /= 3;
	row.configured = n % 3;
	n /= 3;
	row.agent = n % 3;
	n /= 3;
	row.declared = n % 3;
	return row;
}

/* The rule as a list of exceptions, read from the top. */
static enum cx_class expected(const struct cx_binding *row)
{
	enum cx_posture said[] = { row->package, row->configured, row->agent };
	bool off = row->org_off || row->placement == CX_PLACEMENT_DISABLED;

	for (size_t i = 0; i < CX_COUNT(said); i++)
		if (said[i] != CX_POSTURE_INHERIT) {
			off = off || said[i] == CX_POSTURE_OFF;
			break;
		}
	if (off && row->declared != CX_DECLARED_NONE)
		return CX_E_ENVIRONMENT_AGENT_DISABLED;
	if (off)
		return CX_E_EXECUTION_DISABLED;
	if (row->placement == CX_PLACEMENT_REMOTE)
		return CX_E_PLACEMENT_UNAVAILABLE;
	if (row->declared == CX_DECLARED_INVALID)
		return CX_E_ENVIRONMENT_INVALID;
	if (row->declared == CX_DECLARED_VALID &&
	    row->readiness != CX_READINESS_READY)
		return CX_E_ENVIRONMENT_UNAVAILABLE;
	return CX_E_NONE;
}

static void whole_table(void **state)
{
	unsigned ran = 0;

	(void)state;
	for (unsigned n = 0; n < ROWS; n++) {
		struct cx_binding row = row_of(n);
		struct cx_err err = { 0 };
		enum cx_bound bound = cx_binding_decide(&row, &err);

		assert_int_equal(err.code, expected(&row));
		assert_int_equal(bound == CX_BOUND_REFUSED,
		                 err.code != CX_E_NONE);
		if (bound == CX_BOUND_REFUSED)
			continue;
		ran++;
		/* a declared environment is never traded for the base */
		assert_int_equal(bound == CX_BOUND_LAYER,
		                 row.declared == CX_DECLARED_VALID);
	}
	assert_true(ran > 0);
}

static void words_are_exact(void **state)
{
	static const char *const not_on[] = {
		"1", "true", "ON", "On", "on ", " on", "", "yes", "on\n",
	};
	static const char *const bad[] = { "", "On", "off ", "true", "auto" };
	enum cx_posture posture = CX_POSTURE_ON;
	enum cx_placement placement = CX_PLACEMENT_LOCAL;
	struct cx_err err;

	(void)state;
	assert_true(cx_binding_rolled_out("on"));
	assert_false(cx_binding_rolled_out(NULL));
	for (size_t i = 0; i < CX_COUNT(not_on); i++)
		assert_false(cx_binding_rolled_out(not_on[i]));
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		assert_int_equal(cx_binding_posture(bad[i], &posture, &err), -1);
		assert_int_equal(err.code, CX_E_POSTURE_UNKNOWN);
		assert_int_equal(cx_binding_placement(bad[i], &placement, &err),
		                 -1);
	}
	assert_int_equal(cx_binding_posture(NULL, &posture, &err), 0);
	assert_int_equal(posture, CX_POSTURE_INHERIT);
	assert_int_equal(cx_binding_posture("off", &posture, &err), 0);
	assert_int_equal(posture, CX_POSTURE_OFF);
	assert_int_equal(cx_binding_placement("disabled", &placement, &err), 0);
	assert_int_equal(placement, CX_PLACEMENT_DISABLED);
}

static void three_states(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 8; n++) {
		bool on = n & 1, key = n & 2, trip = n & 4;
		const char *text = cx_binding_readiness_text(
			cx_binding_readiness(on, key, trip));

		assert_string_equal(text, !on ? "disabled"
		                          : key && trip ? "ready"
		                          : "unavailable");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_table),
		cmocka_unit_test(words_are_exact),
		cmocka_unit_test(three_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
