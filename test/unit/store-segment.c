/* store-segment.c - the log after whatever may happen to its files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "model/row.h"
#include "store/history.h"
#include "store/segment.h"

static const int64_t day_ms = INT64_C(86400000);
static const int64_t start_ms = INT64_C(1796000000000);

struct world {
	char path[64];
	int fd;
	struct cx_segment log;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof *world);
	struct cx_err err;

	assert_non_null(world);
	snprintf(world->path, sizeof world->path, "/tmp/cx-segment-XXXXXX");
	assert_non_null(mkdtemp(world->path));
	world->fd = open(world->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(cx_segment_open(world->fd, &world->log, &err), 0);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	cx_segment_done(&world->log);
	close(world->fd);
	cx_path_remove(AT_FDCWD, world->path);
	free(world);
	return 0;
}

/* Appends number n under the key "j/n"; the index. */
static uint64_t add(struct world *world, int n, int64_t at_ms,
                    struct cx_segment_result *ret)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	struct cx_segment_record record = { .at_ms = at_ms };
	struct cx_event event;
	struct cx_err err;
	char key[32];

	cx_event_start("acme", "ada", "j-1", &event);
	event.surface = CX_SURFACE_CHAT;
	event.reason = CX_E_NO_SESSION;
	event.wall_ms = n;
	cx_row_write(&event, &line);
	snprintf(key, sizeof key, "j/%d", n);
	record.line = line.data;
	record.size = line.size;
	record.key = key;
	assert_int_equal(cx_segment_append(&world->log, &record,
	                                   CX_SEGMENT_SYNC_NONE, ret, &err),
	                 0);
	return ret->index;
}

static void add_many(struct world *world, int count)
{
	struct cx_segment_result result;

	for (int i = 0; i < count; i++)
		assert_true(add(world, i, start_ms, &result) == (uint64_t)i);
}

/* Rows and damaged rows of the log; -1 for lines that are no event's. */
static void count(struct world *world, int *ret_rows, int *ret_bad,
                  uint64_t *ret_gap)
{
	CX_AUTO_HISTORY struct cx_history history = { .dir_fd = -1 };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int audit = openat(world->fd, "audit", O_RDONLY | O_CLOEXEC);
	struct cx_history_row row;
	struct cx_event event;
	struct cx_err err;

	*ret_rows = *ret_bad = 0;
	*ret_gap = 0;
	assert_int_equal(cx_history_open(audit, world->log.origin, &history,
	                                 &err), 0);
	while (cx_history_next(&history, &row, &err) > 0) {
		if (row.damage || !row.line ||
		    !cx_row_read(row.line, row.size, &event, &text))
			++*ret_bad;
		++*ret_rows;
		*ret_gap += row.margin.gap;
	}
}

static void expect(struct world *world, int rows, int bad, uint64_t gap)
{
	int got_rows, got_bad;
	uint64_t got_gap;

	count(world, &got_rows, &got_bad, &got_gap);
	assert_int_equal(got_rows, rows);
	assert_int_equal(got_bad, bad);
	assert_int_equal(got_gap, gap);
}

static void scribble(struct world *world, const char *name, const char *text,
                     size_t size)
{
	CX_AUTO_FD int fd = openat(world->log.dir_fd, name,
	                           O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(cx_fd_write(fd, text, size), 0);
}

static void shorten(struct world *world, const char *name, off_t by)
{
	CX_AUTO_FD int fd = openat(world->log.dir_fd, name,
	                           O_WRONLY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(ftruncate(fd, st.st_size - by), 0);
}

#define EVENTS "seg-0000000000000000.ndjson"
#define META "seg-0000000000000000.meta"

static void keys_and_days(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;

	add_many(world, 5);
	assert_true(add(world, 3, start_ms, &result) == 3);
	assert_true(result.duplicate);
	/* a new day is a new segment; its keys and those before are known */
	assert_true(add(world, 5, start_ms + day_ms, &result) == 5);
	assert_true(add(world, 4, start_ms + day_ms, &result) == 4);
	assert_true(result.duplicate);
	assert_int_equal(faccessat(world->log.dir_fd,
	                           "seg-0000000000000005.ndjson", F_OK, 0), 0);
	/* the clock goes back: no segment */
	assert_true(add(world, 6, start_ms - day_ms, &result) == 6);
	expect(world, 7, 0, 0);
}

static void torn(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;

	add_many(world, 3);
	scribble(world, META, "{\"at\":", 6);
	scribble(world, EVENTS, "{\"actor", 8);
	expect(world, 3, 0, 0);
	assert_true(add(world, 3, start_ms, &result) == 3);
	assert_int_equal(result.torn_bytes, 14);
	expect(world, 4, 0, 0);
}

static void torn_without_cache(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;
	static const char zeros[700];

	add_many(world, 3);
	assert_int_equal(ftruncate(world->log.lock_fd, 0), 0);
	scribble(world, META, zeros, 80);
	scribble(world, EVENTS, zeros, sizeof zeros);
	scribble(world, EVENTS, "\n", 1);
	assert_true(add(world, 3, start_ms, &result) == 3);
	expect(world, 4, 0, 0);
}

static void cut_short(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;

	add_many(world, 6);
	shorten(world, EVENTS, 700); /* a record and a half */
	assert_true(add(world, 9, start_ms, &result) == 4);
	expect(world, 5, 0, 2);
}

static void damage_stays(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;
	CX_AUTO_FD int fd = -1;

	add_many(world, 6);
	fd = openat(world->log.dir_fd, EVENTS, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "x", 1, 2), 1);
	shorten(world, EVENTS, 1);
	scribble(world, EVENTS, "x\n", 2); /* the last, whole but bad */
	assert_int_equal(ftruncate(world->log.lock_fd, 0), 0);
	assert_true(add(world, 6, start_ms, &result) == 6);
	expect(world, 7, 2, 0);
}

static void missing_files(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;

	add_many(world, 2);
	assert_int_equal(unlinkat(world->log.dir_fd, META, 0), 0);
	assert_true(add(world, 2, start_ms, &result) == 0);
	expect(world, 1, 0, 2);
	assert_int_equal(unlinkat(world->log.dir_fd, EVENTS, 0), 0);
	assert_true(add(world, 3, start_ms, &result) == 0);
	expect(world, 1, 0, 1);
}

static void long_lines(void **state)
{
	struct world *world = *state;
	struct cx_segment_result result;
	static char junk[3 * CX_LINES_MAX];

	add_many(world, 2);
	memset(junk, 'x', sizeof junk);
	junk[sizeof junk - 1] = '\n';
	scribble(world, EVENTS, junk, sizeof junk);
	scribble(world, META, junk, sizeof junk);
	assert_true(add(world, 2, start_ms, &result) == 2);
	expect(world, 3, 0, 0);
	scribble(world, EVENTS, junk, sizeof junk - 1);
	expect(world, 3, 0, 0);
	assert_true(add(world, 3, start_ms, &result) == 3);
	expect(world, 4, 0, 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(keys_and_days), TEST(torn), TEST(torn_without_cache),
		TEST(cut_short), TEST(damage_stays), TEST(missing_files),
		TEST(long_lines),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
