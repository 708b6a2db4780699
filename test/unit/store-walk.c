/* store-walk.c - walking, measuring and removing what a sandbox left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../lib/place.h"
#include "base/fd.h"
#include "base/path.h"
#include "store/extent.h"
#include "store/walk.h"

static void put(int at, const char *name, size_t size)
{
	CX_AUTO_FD int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC,
	                           0644);
	char block[4096] = "x";

	assert_true(fd >= 0);
	for (; size; size -= sizeof block)
		assert_int_equal(cx_fd_write(fd, block, sizeof block), 0);
}

static void measure(const struct cx_extent *max, struct cx_extent *ret)
{
	assert_int_equal(cx_extent_measure(place_fd, max, ret), 0);
}

static void counts_blocks(void **state)
{
	const struct cx_extent none = { 0 };
	struct cx_extent is;
	CX_AUTO_FD int hole = -1;

	(void)state;
	measure(&none, &is);
	assert_int_equal(is.kib, 0);
	assert_int_equal(is.inodes, 0);
	put(place_fd, "file", 40960);
	hole = openat(place_fd, "hole", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(hole, 8LL << 30), 0);
	for (int i = 0; i < 7; i++) {
		char name[8];

		snprintf(name, sizeof name, "name%d", i);
		assert_int_equal(linkat(place_fd, "file", place_fd, name, 0), 0);
	}
	measure(&none, &is);
	assert_in_range(is.kib, 40, 48);
	assert_int_equal(is.inodes, 2);
}

static void deep_chain(int levels)
{
	CX_AUTO_FD int at = openat(place_fd, ".", O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < levels; i++) {
		int next;

		assert_int_equal(mkdirat(at, "dddddddddddddddd", 0755), 0);
		assert_int_equal(mkdirat(at, "side", 0755), 0);
		put(at, "zz", 0);
		next = openat(at, "dddddddddddddddd", O_RDONLY | O_CLOEXEC);
		assert_true(next >= 0);
		close(at);
		at = next;
	}
}

/* Deeper than PATH_MAX, with fewer descriptors than levels. */
static void walks_deep(void **state)
{
	const struct rlimit few = { 64, 64 };
	struct rlimit before;
	struct cx_extent is;
	const struct cx_extent none = { 0 };

	(void)state;
	deep_chain(1500);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE,
	                           &(struct rlimit){ few.rlim_cur,
	                                             before.rlim_max }), 0);
	measure(&none, &is);
	assert_int_equal(cx_path_remove(place_fd, "dddddddddddddddd"), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(is.inodes, 4500);
}

static void stops_early(void **state)
{
	const struct cx_extent kib = { .kib = 100 };
	const struct cx_extent inodes = { .inodes = 20 };
	struct cx_extent is;

	(void)state;
	for (int i = 0; i < 50; i++) {
		char name[8];

		snprintf(name, sizeof name, "f%d", i);
		put(place_fd, name, 8192);
	}
	measure(&kib, &is);
	assert_true(cx_extent_is_over(&is, &kib));
	assert_in_range(is.kib, 101, 110);
	measure(&inodes, &is);
	assert_int_equal(is.inodes, 21);
}

/* Every name once, paths right, links and pipes never entered or opened. */
static void names_once(void **state)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	size_t seen = 0;
	int got;

	(void)state;
	assert_int_equal(cx_path_make(place_fd, "a/b/c", 0755), 0);
	assert_int_equal(symlinkat("/etc", place_fd, "up"), 0);
	assert_int_equal(symlinkat("../..", place_fd, "a/b/out"), 0);
	assert_int_equal(mkfifoat(place_fd, "a/pipe", 0644), 0);
	put(place_fd, "a/b/c/f", 0);
	assert_int_equal(cx_walk_start(place_fd, true, &walk), 0);
	while ((got = cx_walk_next(&walk, &entry)) > 0) {
		struct stat stat;

		if (entry.step == CX_WALK_LEAVE)
			continue;
		seen++;
		assert_int_equal(fstatat(place_fd, entry.path, &stat,
		                         AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(stat.st_ino, entry.stat.st_ino);
	}
	assert_int_equal(got, 0);
	assert_int_equal(seen, 7);
}

static void skips(void **state)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;

	(void)state;
	assert_int_equal(cx_path_make(place_fd, "a/b/c", 0755), 0);
	assert_int_equal(cx_walk_start(place_fd, false, &walk), 0);
	assert_int_equal(cx_walk_next(&walk, &entry), 1);
	assert_string_equal(entry.name, "a");
	cx_walk_skip(&walk);
	assert_int_equal(cx_walk_next(&walk, &entry), 0);
}

/* Folders that a sandbox closed to itself, as their owner sees them. */
static void opens_closed(void **state)
{
	const struct cx_extent none = { 0 };
	struct cx_extent is;
	struct stat stat;
	uid_t was = geteuid();

	(void)state;
	assert_int_equal(fchmod(place_fd, 0777), 0);
	if (was == 0)
		assert_int_equal(seteuid(12345), 0);
	assert_int_equal(cx_path_make(place_fd, "a/b", 0755), 0);
	put(place_fd, "a/b/f", 4096);
	assert_int_equal(fchmodat(place_fd, "a/b", 0, 0), 0);
	assert_int_equal(fchmodat(place_fd, "a", 0500, 0), 0);
	measure(&none, &is);
	assert_int_equal(is.inodes, 3);
	assert_int_equal(fchmodat(place_fd, "a", 0600, 0), 0);
	measure(&none, &is);
	assert_int_equal(is.inodes, 3);
	assert_int_equal(fstatat(place_fd, "a", &stat, 0), 0);
	assert_int_equal(stat.st_mode & 07777, 0600);
	assert_int_equal(cx_path_remove(place_fd, "a"), 0);
	if (was == 0)
		assert_int_equal(seteuid(was), 0);
}

/* Names that removal uses for itself, taken by the sandbox before. */
static void removes_lookalikes(void **state)
{
	(void)state;
	assert_int_equal(cx_path_make(place_fd, "x/.cx-rm-0/a/b/c", 0755), 0);
	assert_int_equal(cx_path_make(place_fd, "x/.cx-rm-1/a/b/c", 0755), 0);
	assert_int_equal(cx_path_make(place_fd, "x/.cx-rm-2/a/.cx-rm-1/c", 0755), 0);
	assert_int_equal(cx_path_make(place_fd, "x/y/.cx-rm-3/c/d", 0755), 0);
	put(place_fd, "x/.cx-rm-3", 0);
	put(place_fd, "x/.cx-rm-1/a/b/.cx-rm-4", 0);
	assert_int_equal(cx_path_remove(place_fd, "x"), 0);
	assert_int_equal(faccessat(place_fd, "x", F_OK, 0), -1);
}

#define ROW(name) \
	cmocka_unit_test_setup_teardown(name, place_begin, place_end)

int main(void)
{
	const struct CMUnitTest test[] = {
		ROW(counts_blocks),
		ROW(walks_deep),
		ROW(stops_early),
		ROW(names_once),
		ROW(skips),
		ROW(opens_closed),
		ROW(removes_lookalikes),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
