/* store-diff.c - a replica, what is told apart from it, and its imprint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "store/address.h"
#include "store/diff.h"
#include "store/imprint.h"
#include "store/replica.h"
#include "store/twin.h"
#include "store/walk.h"

static char folder[64];
static int top = -1, was = -1, is = -1;

static int open_at(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_folders(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/cx-unit-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	top = open_at(AT_FDCWD, folder);
	if (mkdirat(top, "was", 0755) < 0 || mkdirat(top, "is", 0755) < 0 ||
	    mkdirat(top, "index", 0755) < 0)
		return -1;
	was = open_at(top, "was");
	is = open_at(top, "is");
	return was < 0 || is < 0 ? -1 : 0;
}

static int drop_folders(void **state)
{
	(void)state;
	close(was);
	close(is);
	close(top);
	return cx_path_remove(AT_FDCWD, folder);
}

static void put(int at, const char *name, const char *text, off_t from)
{
	CX_AUTO_FD int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC,
	                           0644);
	size_t size = strlen(text);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, size, from), (ssize_t)size);
}

static void replicate(void)
{
	CX_AUTO_FD int index = open_at(top, "index");
	const struct cx_replica replica = {
		.from_fd = was, .to_fd = is, .index_fd = index,
		.cancel_fd = -1,
	};
	struct cx_err err = { 0 };

	assert_int_equal(cx_replica_make(&replica, &err), 0);
}

/* Changes as "+a ~b -c ", in the order in which they are shown. */
struct seen { char text[512]; size_t count; };

static int see(const struct cx_diff_change *change, void *context,
               struct cx_err *err)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	(void)err;
	seen->count++;
	snprintf(seen->text + used, sizeof seen->text - used, "%c%.20s ",
	         "+~-"[change->kind], change->path);
	return 0;
}

static void expect(int from, const char *text)
{
	struct seen seen = { .text = "" };
	struct cx_err err = { 0 };

	assert_int_equal(cx_diff_trees(from, is, see, &seen, &err), 0);
	assert_string_equal(seen.text, text);
}

static void replica_is_the_same(void **state)
{
	struct stat a, b;

	(void)state;
	put(was, "f", "text", 0);
	put(was, "hole", "end", 8 << 20);
	assert_int_equal(mkdirat(was, "d", 0700), 0);
	assert_int_equal(linkat(was, "f", was, "d/again", 0), 0);
	assert_int_equal(symlinkat("../../etc", was, "d/link"), 0);
	assert_int_equal(mkfifoat(was, "pipe", 0600), 0);
	assert_int_equal(fchmodat(was, "d", 0500, 0), 0);
	replicate();
	expect(was, "");
	assert_int_equal(fstatat(is, "f", &a, 0), 0);
	assert_int_equal(fstatat(is, "d/again", &b, 0), 0);
	assert_true(a.st_ino == b.st_ino && a.st_nlink == 3);
	assert_int_equal(cx_path_remove(top, "index"), 0);
	assert_int_equal(fstatat(is, "f", &a, 0), 0);
	assert_int_equal(a.st_nlink, 2);
	assert_int_equal(fstatat(is, "hole", &b, 0), 0);
	assert_true(b.st_size == (8 << 20) + 3 && b.st_blocks < 64);
	assert_int_equal(fstatat(was, "d", &a, 0), 0);
	assert_int_equal(fstatat(is, "d", &b, 0), 0);
	assert_true(a.st_mode == b.st_mode &&
	            a.st_mtim.tv_nsec == b.st_mtim.tv_nsec);
}

static void changes_are_told(void **state)
{
	(void)state;
	put(was, "gone", "1", 0);
	put(was, "grown", "1", 0);
	replicate();
	assert_int_equal(unlinkat(is, "gone", 0), 0);
	put(is, "grown", "2", 0);
	expect(was, "~grown -gone ");
	expect(-1, "+grown ");
	put(is, "grown", "1", 0);
	expect(was, "-gone ");
	assert_int_equal(fchmodat(is, "grown", 0600, 0), 0);
	expect(was, "~grown -gone ");
	assert_int_equal(unlinkat(is, "grown", 0), 0);
	assert_int_equal(mkdirat(is, "grown", 0755), 0);
	put(is, "grown/x", "1", 0);
	expect(was, "~grown +grown/x -gone ");
	assert_int_equal(fchmod(is, 0700), 0);
	expect(was, "~. ~grown +grown/x -gone ");
}

/* A hole and zeros are the same bytes; a byte in a hole is found. */
static void holes_are_zeros(void **state)
{
	static const char zero[4096];
	CX_AUTO_FD int fd = -1;

	(void)state;
	put(was, "f", "end", 1 << 20);
	replicate();
	fd = openat(is, "f", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, zero, sizeof zero, 65536), sizeof zero);
	expect(was, "");
	assert_int_equal(pwrite(fd, "x", 1, 65536 + 77), 1);
	expect(was, "~f ");
}

static void deep_chains_are_compared(void **state)
{
	enum { LEVELS = 1500 };
	CX_AUTO_FD int at = open_at(was, ".");
	struct seen seen = { .text = "" };
	struct cx_err err = { 0 };

	(void)state;
	for (int i = 0; i < LEVELS; i++) {
		int next;

		assert_int_equal(mkdirat(at, "dddddddddd", 0755), 0);
		next = open_at(at, "dddddddddd");
		assert_true(next >= 0);
		close(at);
		at = next;
	}
	put(at, "f", "x", 0);
	replicate();
	expect(was, "");
	put(at, "f", "y", 0);
	assert_int_equal(cx_diff_trees(was, is, see, &seen, &err), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(cx_path_remove(is, "dddddddddd"), 0);
	seen = (struct seen){ .text = "" };
	assert_int_equal(cx_diff_trees(was, is, see, &seen, &err), 0);
	assert_int_equal(seen.count, LEVELS + 1);
}

static void twin_stands_nowhere(void **state)
{
	CX_AUTO_TWIN struct cx_twin twin = { 0 };

	(void)state;
	assert_int_equal(mkdirat(is, "d", 0755), 0);
	assert_int_equal(symlinkat("d", is, "link"), 0);
	assert_int_equal(cx_twin_start(is, &twin), 0);
	assert_int_equal(cx_twin_enter(&twin, "link"), 0);
	assert_int_equal(cx_twin_fd(&twin), -1);
	assert_int_equal(cx_twin_enter(&twin, "below"), 0);
	assert_int_equal(cx_twin_to(&twin, 1), 0);
	assert_true(cx_twin_fd(&twin) >= 0);
	assert_int_equal(cx_twin_enter(&twin, "none"), 0);
	assert_int_equal(cx_twin_fd(&twin), -1);
	assert_int_equal(cx_twin_to(&twin, 1), 0);
	assert_int_equal(cx_twin_enter(&twin, "d"), 0);
	assert_true(cx_twin_fd(&twin) >= 0);
}

static struct cx_digest imprint(void)
{
	struct cx_digest now;
	struct cx_err err = { 0 };

	assert_int_equal(cx_imprint_take(was, &now, &err), 0);
	return now;
}

static void imprint_sees_what_hides(void **state)
{
	const struct timespec time[2] = { { .tv_sec = 5 }, { .tv_sec = 5 } };
	struct cx_digest first, next;
	struct stat before, after;

	(void)state;
	put(was, "f", "1", 0);
	assert_int_equal(utimensat(was, "f", time, 0), 0);
	first = imprint();
	next = imprint();
	assert_true(cx_digest_same(&first, &next));
	assert_int_equal(fstatat(was, "f", &before, 0), 0);
	/* a change within a tick of the clock would have the same time */
	for (after = before; after.st_ctim.tv_sec == before.st_ctim.tv_sec &&
	     after.st_ctim.tv_nsec == before.st_ctim.tv_nsec;) {
		put(was, "f", "2", 0);
		assert_int_equal(utimensat(was, "f", time, 0), 0);
		assert_int_equal(fstatat(was, "f", &after, 0), 0);
	}
	next = imprint();
	assert_false(cx_digest_same(&first, &next));
	first = next;
	assert_int_equal(renameat(was, "f", was, "g"), 0);
	next = imprint();
	assert_false(cx_digest_same(&first, &next));
}

static void names_are_conservative(void **state)
{
	static const struct { const char *name; bool fits; } row[] = {
		{ "a", true }, { "0", true }, { "a.b_c-d", true },
		{ "", false }, { ".", false }, { "..", false }, { "-a", false },
		{ "_a", false }, { "a/b", false }, { "A", false },
		{ "a b", false }, { "a\n", false }, { "\xc3\xa4", false },
	};
	char name[CX_ADDRESS_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_address_is_name(row[i].name), row[i].fits);
	memset(name, 'a', sizeof name);
	name[CX_ADDRESS_NAME_MAX] = '\0';
	assert_false(cx_address_is_name(name));
	name[CX_ADDRESS_NAME_MAX - 1] = '\0';
	assert_true(cx_address_is_name(name));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folders, drop_folders)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(replica_is_the_same), TEST(changes_are_told),
		TEST(holes_are_zeros), TEST(deep_chains_are_compared),
		TEST(twin_stands_nowhere), TEST(imprint_sees_what_hides),
		cmocka_unit_test(names_are_conservative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
