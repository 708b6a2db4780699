/* box-stream.c - what is kept of a stream, whatever the sizes of the reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "box/stream.h"

#define KILL CX_QUOTA_CAP_KILL
#define CUT CX_QUOTA_CAP_TRUNCATE

/* "あ", three bytes each */
#define A "\343\201\202"
#define A4 A A A A
#define A8 A4 A4

static const struct row {
	const char *all;
	uint64_t cap;
	enum cx_quota_cap policy;
	const char *kept;
	size_t gap_at;
	bool truncated;
} row[] = {
	{ "", 0, KILL, "", 0, false },
	{ "", 8, CUT, "", 0, false },
	{ "x", 0, KILL, "", 0, true },
	{ "x", 0, CUT, "", 0, true },
	{ "12345678", 8, KILL, "12345678", 0, false },
	{ "12345678", 8, CUT, "12345678", 0, false },
	{ "123456789", 8, KILL, "12345678", 8, true },
	{ "123456789", 8, CUT, "12456789", 2, true },
	{ "abcdefghijklmnopqrstuvwxyz", 8, CUT, "abuvwxyz", 2, true },
	{ "abcdefghijklmnopqrstuvwxyz", 1, CUT, "z", 0, true },
	{ "abcdefghijklmnopqrstuvwxyz", 3, CUT, "xyz", 0, true },
	/* cuts fall between characters: the half ones are left out */
	{ A8, 10, KILL, A A A, 9, true },
	{ A8, 11, KILL, A A A, 9, true },
	{ A8, 12, KILL, A4, 12, true },
	{ A8, 16, CUT, A A4, 3, true },
	{ A8, 20, CUT, A A4 A, 3, true },
	/* what never was a character is left as it is */
	{ "\377\377\377\377\377", 4, KILL, "\377\377\377", 3, true },
	{ "\200\200\200\200\200\200\200\200\200", 8, CUT,
	  "\200\200\200\200\200", 2, true },
};

static void give(const struct row *row_, size_t step,
                 struct cx_report_stream *ret)
{
	struct cx_stream stream;
	size_t size = strlen(row_->all);

	cx_stream_start(row_->cap, row_->policy, &stream);
	for (size_t at = 0; at < size; at += step)
		cx_stream_add(&stream, row_->all + at,
		              size - at < step ? size - at : step);
	cx_stream_end(&stream, ret);
	cx_stream_done(&stream);
}

static void keeps_what_it_should(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		for (size_t step = 1; step <= 40; step++) {
			struct cx_report_stream got;
			struct cx_digest digest;

			give(&row[i], step, &got);
			assert_string_equal(got.kept, row[i].kept);
			assert_int_equal(got.kept_bytes, strlen(row[i].kept));
			assert_int_equal(got.truncated, row[i].truncated);
			assert_int_equal(got.gap_at, row[i].gap_at);
			assert_int_equal(got.total_bytes, strlen(row[i].all));
			cx_digest_of(row[i].all, strlen(row[i].all), &digest);
			assert_true(cx_digest_same(&digest, &got.sha256));
			free(got.kept);
		}
}

static void counts_lines(void **state)
{
	struct cx_report_stream got;
	struct cx_stream stream;

	(void)state;
	cx_stream_start(2, CUT, &stream);
	cx_stream_add(&stream, "a\n\nb", 4);
	cx_stream_add(&stream, "\n", 1);
	assert_true(cx_stream_is_over(&stream));
	cx_stream_end(&stream, &got);
	assert_int_equal(got.total_lines, 3);
	free(got.kept);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(keeps_what_it_should),
		cmocka_unit_test(counts_lines),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
