/* plane-registry.c - runs and jobs: whose they are, and how they stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/path.h"
#include "plane/registry.h"

static char folder[64];
static struct cx_state state;
static struct cx_db db;
static struct cx_err err;

static int make_state(void **unused)
{
	(void)unused;
	snprintf(folder, sizeof folder, "/tmp/cx-unit-XXXXXX");
	if (!mkdtemp(folder) || setenv("CX_STATE", folder, 1) < 0)
		return -1;
	db = (struct cx_db){ .state = &state };
	return cx_state_open(&state, &err);
}

static int drop_state(void **unused)
{
	(void)unused;
	cx_db_done(&db);
	cx_state_done(&state);
	return cx_path_remove(AT_FDCWD, folder);
}

static struct cx_session session(const char *org, const char *user,
                                 const char *run)
{
	struct cx_session one = { .surface = *run ? CX_SURFACE_AGENT
	                                          : CX_SURFACE_CHAT };

	snprintf(one.org_id, sizeof one.org_id, "%s", org);
	snprintf(one.user_id, sizeof one.user_id, "%s", user);
	snprintf(one.run_id, sizeof one.run_id, "%s", run);
	return one;
}

static void refused(int done, enum cx_class code)
{
	assert_int_equal(done, -1);
	assert_string_equal(cx_err_name(err.code), cx_err_name(code));
}

static void ids(void **unused)
{
	char one[CX_REGISTRY_ID_MAX], two[CX_REGISTRY_ID_MAX];

	(void)unused;
	assert_int_equal(cx_registry_make_id(one, &err), 0);
	assert_int_equal(cx_registry_make_id(two, &err), 0);
	assert_true(cx_registry_is_id(one));
	assert_string_not_equal(one, two);
	assert_false(cx_registry_is_id("j-"));
	assert_false(cx_registry_is_id("j-aaaaaaaaaaaaaaaaaaaaaaaaa1"));
	assert_false(cx_registry_is_id("j-AAAAAAAAAAAAAAAAAAAAAAAAAA"));
	assert_false(cx_registry_is_id("k-aaaaaaaaaaaaaaaaaaaaaaaaaa"));
	assert_false(cx_registry_is_id("j-aaaaaaaaaaaaaaaaaaaaaaaaa/"));
}

static void runs(void **unused)
{
	const struct cx_session ada = session("acme", "ada", "r-1");
	const struct cx_session eve = session("acme", "eve", "r-1");
	const struct cx_session other = session("other", "ada", "r-1");
	struct cx_run_row row;

	(void)unused;
	refused(cx_registry_check_run(&db, &ada, &row, &err),
	        CX_E_RUN_NOT_LIVE);
	assert_false(cx_db_exists(&state));
	assert_int_equal(cx_registry_open_run(&db, &ada, NULL, 1, &err), 0);
	assert_int_equal(cx_registry_open_run(&db, &ada, NULL, 2, &err), 0);
	assert_int_equal(cx_registry_check_run(&db, &ada, &row, &err), 0);
	assert_string_equal(row.posture, "inherit");
	refused(cx_registry_check_run(&db, &eve, &row, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	refused(cx_registry_open_run(&db, &eve, NULL, 3, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	refused(cx_registry_check_run(&db, &other, &row, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	refused(cx_registry_end_run(&db, &eve, CX_REGISTRY_ENDED, 4, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	/* another organization may have a run of that name as well */
	assert_int_equal(cx_registry_look_run(&db, &ada, &row, &err), 1);
	assert_string_equal(row.agent_id, "");
	assert_string_equal(row.package_posture, "inherit");
	assert_false(row.pinned);
	refused(cx_registry_look_run(&db, &eve, &row, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	refused(cx_registry_open_run(&db, &ada, "helper", 4, &err),
	        CX_E_RUN_OWNER_DIVERGED);
	assert_int_equal(cx_registry_look_run(&db, &other, &row, &err), 0);
	assert_int_equal(cx_registry_open_run(&db, &other, NULL, 5, &err), 0);
	assert_int_equal(cx_registry_check_run(&db, &other, &row, &err), 0);
}

static void endings(void **unused)
{
	const struct cx_session ada = session("acme", "ada", "r-1");
	struct cx_run_row row;
	enum cx_registry_state how;

	(void)unused;
	assert_int_equal(cx_registry_open_run(&db, &ada, NULL, 1, &err), 0);
	assert_int_equal(cx_registry_end_run(&db, &ada, CX_REGISTRY_OVER_QUOTA,
	                                     2, &err), 0);
	refused(cx_registry_check_run(&db, &ada, &row, &err), CX_E_JOB_ENDED);
	assert_int_equal(cx_registry_end_run(&db, &ada, CX_REGISTRY_ENDED, 3,
	                                     &err), 0);
	refused(cx_registry_check_run(&db, &ada, &row, &err),
	        CX_E_RUN_NOT_LIVE);
	assert_int_equal(cx_registry_end_run(&db, &ada, CX_REGISTRY_OVER_QUOTA,
	                                     4, &err), 0);
	assert_int_equal(cx_registry_find_run(&db, "acme", "r-1", &how, &err),
	                 1);
	assert_int_equal(how, CX_REGISTRY_ENDED);
	assert_int_equal(cx_registry_find_run(&db, "acme", "r-2", &how, &err),
	                 0);
}

static void jobs(void **unused)
{
	const struct cx_session ada = session("acme", "ada", "");
	const struct cx_session eve = session("acme", "eve", "");
	char id[CX_REGISTRY_ID_MAX];
	uint64_t first = 0;

	(void)unused;
	refused(cx_registry_check_job(&db, &ada, "j-none", &err),
	        CX_E_JOB_ENDED);
	refused(cx_registry_end_job(&db, &ada, "j-none", CX_REGISTRY_ENDED, 1,
	                            &err), CX_E_JOB_ENDED);
	assert_int_equal(cx_registry_open_job(&db, &ada, 1, id, &err), 0);
	assert_int_equal(cx_registry_check_job(&db, &ada, id, &err), 0);
	refused(cx_registry_check_job(&db, &eve, id, &err), CX_E_JOB_ENDED);
	refused(cx_registry_end_job(&db, &eve, id, CX_REGISTRY_ENDED, 2, &err),
	        CX_E_JOB_ENDED);
	assert_int_equal(cx_registry_number_job(&db, id, 3, &first, &err), 0);
	assert_int_equal(first, 1);
	assert_int_equal(cx_registry_number_job(&db, id, 1, &first, &err), 0);
	assert_int_equal(first, 4);
	assert_int_equal(cx_registry_end_job(&db, &ada, id, CX_REGISTRY_ENDED,
	                                     3, &err), 0);
	refused(cx_registry_check_job(&db, &ada, id, &err), CX_E_JOB_ENDED);
	assert_int_equal(cx_registry_end_job(&db, &ada, id, CX_REGISTRY_ENDED,
	                                     4, &err), 0);
}

#define ROW(name) \
	cmocka_unit_test_setup_teardown(name, make_state, drop_state)

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(ids), ROW(runs), ROW(endings), ROW(jobs),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
