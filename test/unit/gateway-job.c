/* gateway-job - the table of jobs: whose a request is, what is left of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gateway/job.h"

static const char first[] = "0123456789abcdef-first";
static const char second[] = "0123456789abcdef-second";

static struct cx_job *add(struct cx_job_table *table, const char *id,
                          const char *token)
{
	struct cx_job *job = cx_job_take(table);

	assert_non_null(job);
	snprintf(job->id, sizeof job->id, "%s", id);
	snprintf(job->token, sizeof job->token, "%s", token);
	return job;
}

static void attributes(void **state)
{
	struct cx_job_table table;
	struct cx_job_listener own = { .fd = -1 }, shared = { .fd = -1 };
	struct cx_job *one, *two, *got;

	(void)state;
	assert_int_equal(cx_job_start(&table), 0);
	one = add(&table, "one", first);
	two = add(&table, "two", second);
	own.job = one;
	assert_int_equal(cx_job_attribute(&table, &own, NULL, 5, &got),
	                 CX_ATTRIBUTION_JOB);
	assert_ptr_equal(got, one);
	assert_int_equal(cx_job_attribute(&table, &own, first, 5, &got),
	                 CX_ATTRIBUTION_JOB);
	assert_int_equal(cx_job_attribute(&table, &own, second, 5, &got),
	                 CX_ATTRIBUTION_MISMATCH);
	assert_int_equal(cx_job_attribute(&table, &own, "", 5, &got),
	                 CX_ATTRIBUTION_UNKNOWN);
	assert_int_equal(cx_job_attribute(&table, &shared, NULL, 5, &got),
	                 CX_ATTRIBUTION_NONE);
	assert_null(got);
	assert_int_equal(cx_job_attribute(&table, &shared, second, 5, &got),
	                 CX_ATTRIBUTION_JOB);
	assert_ptr_equal(got, two);
	two->expires_at = 5;
	assert_int_equal(cx_job_attribute(&table, &shared, second, 5, &got),
	                 CX_ATTRIBUTION_EXPIRED);
	two->state = CX_JOB_REVOKED;
	assert_int_equal(cx_job_attribute(&table, &shared, second, 4, &got),
	                 CX_ATTRIBUTION_REVOKED);
	cx_job_leave(two);
	assert_int_equal(cx_job_attribute(&table, &shared, second, 4, &got),
	                 CX_ATTRIBUTION_UNKNOWN);
	cx_job_done(&table);
}

static void counts(void **state)
{
	struct cx_job_table table;
	struct cx_job *job;

	(void)state;
	assert_int_equal(cx_job_start(&table), 0);
	job = add(&table, "one", first);
	assert_true(cx_job_left_up(job) == CX_JOB_NO_LIMIT);
	job->total_max = 100;
	job->up_max = 30;
	job->up = 10;
	job->down = 75;
	assert_int_equal(cx_job_left_up(job), 15);
	assert_int_equal(cx_job_left_down(job), 15);
	job->down = 20;
	assert_int_equal(cx_job_left_up(job), 20);
	assert_false(cx_job_is_spent(job));
	job->up = 30;
	assert_int_equal(cx_job_left_up(job), 0);
	assert_true(cx_job_is_spent(job));
	cx_job_done(&table);
}

/* A place with a tunnel on it isn't given away. */
static void keeps_places(void **state)
{
	struct cx_job_table table;
	struct cx_job *job = NULL;

	(void)state;
	assert_int_equal(cx_job_start(&table), 0);
	for (int i = 0; i < CX_JOB_MAX; i++)
		job = add(&table, "one", first);
	assert_null(cx_job_take(&table));
	job->open = 1;
	cx_job_leave(job);
	assert_null(cx_job_take(&table));
	job->open = 0;
	cx_job_settle(job);
	assert_ptr_equal(cx_job_take(&table), job);
	assert_int_equal(job->generation, 2);
	cx_job_done(&table);
}

int main(void)
{
	static const struct CMUnitTest test[] = {
		cmocka_unit_test(attributes),
		cmocka_unit_test(counts),
		cmocka_unit_test(keeps_places),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
