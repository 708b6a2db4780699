/* sys-limit.c - which missing limits refuse, and what the refusal says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "sys/limit.h"

#define M CX_LIMIT_MEMORY
#define S CX_LIMIT_SWAP
#define P CX_LIMIT_PIDS
#define C CX_LIMIT_CPU

static void requires(void **state)
{
	static const struct {
		unsigned wanted, holds, effort;
		const char *missing; /* NULL: passes */
		const char *remedy;
	} row[] = {
		{ M | S | P | C, M | S | P | C, 0, NULL, NULL },
		{ 0, 0, 0, NULL, NULL },
		{ M | S | P | C, 0, M | P | C, NULL, NULL },
		{ M | S | P | C, 0, M | S | P | C, NULL, NULL },
		{ M | S, M, M, NULL, NULL },
		{ M | S, M, 0, "holds swap here", "[memory]" },
		{ M | S | P | C, P | C, 0, "holds memory, swap here",
		  "[memory]" },
		{ M | S | P | C, 0, P, "holds memory, swap, cpu here",
		  "[memory, cpu]" },
		{ P, M | S | C, M | C, "holds pids here", "[pids]" },
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		int status = cx_limit_require(row[i].wanted, row[i].holds,
		                              row[i].effort, &err);

		assert_int_equal(status, row[i].missing ? -1 : 0);
		if (!row[i].missing)
			continue;
		assert_int_equal(err.code, CX_E_QUOTA_UNENFORCEABLE);
		assert_non_null(strstr(err.text, row[i].missing));
		assert_non_null(strstr(err.text, row[i].remedy));
		assert_non_null(strstr(err.text, geteuid() == 0
			? "mount them below" : "cx-run delegate "));
		assert_non_null(strstr(err.text, "best_effort"));
	}
}

static void names(void **state)
{
	static const enum cx_limit all[] = { M, S, P, C };

	(void)state;
	for (size_t i = 0; i < CX_COUNT(all); i++)
		assert_int_equal(cx_limit_find(cx_limit_name(all[i])), all[i]);
	assert_int_equal(cx_limit_find("disk"), 0);
	assert_int_equal(cx_limit_find(""), 0);
	assert_string_equal(cx_limit_name(CX_LIMIT_ALL), "");
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(requires),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
