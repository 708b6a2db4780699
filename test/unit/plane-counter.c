/* plane-counter.c - cx.db, counts and revoked ids, in a state of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../lib/place.h"
#include "base/path.h"
#include "plane/counter.h"
#include "plane/revocation.h"
#include "store/migration.h"

static int begin(void **state)
{
	static struct cx_state made;
	struct cx_err err;

	if (place_begin(state) < 0 || setenv("CX_STATE", place, 1) < 0)
		return -1;
	*state = &made;
	return cx_state_open(&made, &err);
}

static int end(void **state)
{
	cx_state_done(*state);
	return place_end(state);
}

static void statements(void **given)
{
	CX_AUTO_DB struct cx_db db = { .state = *given };
	CX_AUTO_STMT struct cx_stmt row = { NULL };
	struct cx_err err = { 0 };
	struct stat found;
	int64_t number;

	assert_false(cx_db_exists(*given));
	assert_int_equal(cx_db_count(&db, &err, -1, &number,
	                             "PRAGMA user_version", ""), 0);
	assert_int_equal(number, cx_migration_steps());
	assert_true(cx_db_exists(*given));
	assert_int_equal(fstatat(db.state->fd, "cx.db", &found, 0), 0);
	assert_int_equal(found.st_mode & 0777, 0600);
	assert_int_equal(cx_db_run(&db, &err,
	                           "INSERT INTO revoked VALUES (?, ?)", "si",
	                           "a'b", INT64_C(7)), 0);
	assert_int_equal(cx_db_run(&db, &err,
	                           "INSERT INTO revoked VALUES (?, ?)", "si",
	                           "a'b", INT64_C(8)), -1);
	assert_int_equal(cx_db_query(&db, &row, &err,
	                             "SELECT jti, revoked_at FROM revoked "
	                             "WHERE jti = ?", "s", "a'b"), 0);
	assert_int_equal(cx_db_next(&row, &err), 1);
	assert_string_equal(cx_db_text(&row, 0), "a'b");
	assert_int_equal(cx_db_number(&row, 1), 7);
	assert_int_equal(cx_db_next(&row, &err), 0);
}

static void transactions(void **given)
{
	CX_AUTO_DB struct cx_db db = { .state = *given };
	struct cx_err err = { 0 };
	int64_t number;

	assert_int_equal(cx_db_begin(&db, &err), 0);
	assert_int_equal(cx_db_run(&db, &err,
	                           "INSERT INTO revoked VALUES ('x', 1)", ""),
	                 0);
	cx_db_rollback(&db);
	assert_int_equal(cx_db_count(&db, &err, -1, &number,
	                             "SELECT count(*) FROM revoked", ""), 0);
	assert_int_equal(number, 0);
	assert_int_equal(cx_db_begin(&db, &err), 0);
	assert_int_equal(cx_db_run(&db, &err,
	                           "INSERT INTO revoked VALUES ('x', 1)", ""),
	                 0);
	assert_int_equal(cx_db_changes(&db), 1);
	assert_int_equal(cx_db_commit(&db, &err), 0);
	cx_db_done(&db);
	assert_int_equal(cx_db_count(&db, &err, -1, &number,
	                             "SELECT count(*) FROM revoked", ""), 0);
	assert_int_equal(number, 1);
}

static void counting(void **given)
{
	CX_AUTO_DB struct cx_db db = { .state = *given };
	struct cx_counter counter[2] = {
		{ .mac = { { 1 } }, .limit = 1 },
		{ .mac = { { 2 } }, .limit = 2 },
	};
	struct cx_err err = { 0 };

	assert_int_equal(cx_counter_check(&db, counter, 2, &err), 0);
	assert_false(cx_db_exists(*given));
	assert_int_equal(cx_counter_spend(&db, NULL, 0, 9, 9, &err), 0);
	assert_false(cx_db_exists(*given));
	assert_int_equal(cx_counter_spend(&db, counter, 2, 99, 9, &err), 0);
	assert_int_equal(cx_counter_check(&db, counter, 2, &err), -1);
	assert_int_equal(err.code, CX_E_CARRIER_REPLAYED);
	/* the first refuses, so the second isn't spent either */
	assert_int_equal(cx_counter_spend(&db, counter, 2, 99, 9, &err), -1);
	assert_int_equal(err.code, CX_E_CARRIER_REPLAYED);
	assert_int_equal(cx_counter_spend(&db, counter + 1, 1, 99, 9, &err),
	                 0);
	assert_int_equal(cx_counter_spend(&db, counter + 1, 1, 99, 9, &err),
	                 -1);
	assert_int_equal(err.code, CX_E_CAVEAT_REFUSED);
}

static void forgetting(void **given)
{
	CX_AUTO_DB struct cx_db db = { .state = *given };
	const struct cx_counter old = { .mac = { { 1 } }, .limit = 1 };
	const struct cx_counter other = { .mac = { { 2 } }, .limit = 9 };
	const int64_t month = 30 * 86400;
	struct cx_err err = { 0 };

	assert_int_equal(cx_counter_spend(&db, &old, 1, 1000, 500, &err), 0);
	assert_int_equal(cx_counter_spend(&db, &other, 1, 5000,
	                                  1000 + month, &err), 0);
	assert_int_equal(cx_counter_check(&db, &old, 1, &err), -1);
	assert_int_equal(cx_counter_spend(&db, &other, 1, 5000,
	                                  1001 + month, &err), 0);
	assert_int_equal(cx_counter_check(&db, &old, 1, &err), 0);
}

/* Eight processes for one count: exactly one gets it. */
static void racing(void **given)
{
	const struct cx_counter counter = { .mac = { { 7 } }, .limit = 1 };
	int accepted = 0;

	for (int i = 0; i < 8; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			struct cx_db db = { .state = *given };
			struct cx_err err = { 0 };
			int result = cx_counter_spend(&db, &counter, 1, 99, 9,
			                              &err);

			cx_db_done(&db);
			_exit(result == 0 ? 0
			      : err.code == CX_E_CARRIER_REPLAYED ? 1 : 2);
		}
	}
	for (int i = 0; i < 8; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
		accepted += WEXITSTATUS(status) == 0;
	}
	assert_int_equal(accepted, 1);
}

static void revoking(void **given)
{
	CX_AUTO_DB struct cx_db db = { .state = *given };
	struct cx_revocation revocation = CX_REVOCATION_NONE;
	struct cx_err err = { 0 };
	bool revoked = true;
	char jti[16];

	assert_int_equal(cx_revocation_has(*given, &revocation, "a", &revoked,
	                                   &err), 0);
	assert_false(revoked);
	for (int i = 0; i < 40; i++) {
		snprintf(jti, sizeof jti, "j%d", i * 7919 % 1000);
		assert_int_equal(cx_revocation_add(&db, jti, 1000, 500, &err),
		                 0);
	}
	for (int i = 0; i < 1000; i++) {
		bool wanted = false;

		for (int k = 0; k < 40; k++)
			wanted |= k * 7919 % 1000 == i;
		snprintf(jti, sizeof jti, "j%d", i);
		assert_int_equal(cx_revocation_has(*given, &revocation, jti,
		                                   &revoked, &err), 0);
		assert_int_equal(revoked, wanted);
	}
	/* what nothing alive can have is dropped */
	assert_int_equal(cx_revocation_add(&db, "z", 1501, 500, &err), 0);
	assert_int_equal(cx_revocation_has(*given, &revocation, "j0", &revoked,
	                                   &err), 0);
	assert_false(revoked);
	assert_int_equal(cx_revocation_has(*given, &revocation, "z", &revoked,
	                                   &err), 0);
	assert_true(revoked);
	cx_revocation_done(&revocation);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test_setup_teardown(statements, begin, end),
		cmocka_unit_test_setup_teardown(transactions, begin, end),
		cmocka_unit_test_setup_teardown(counting, begin, end),
		cmocka_unit_test_setup_teardown(forgetting, begin, end),
		cmocka_unit_test_setup_teardown(racing, begin, end),
		cmocka_unit_test_setup_teardown(revoking, begin, end),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
