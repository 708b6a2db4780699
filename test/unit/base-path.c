/* base-path.c - opening below a place, removing trees, replacing files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../lib/place.h"
#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"

static void put(const char *name, const char *text)
{
	struct cx_err err;

	assert_int_equal(cx_fd_replace(place_fd, name, text, strlen(text), 0644,
	                               &err), 0);
}

static void tells_what_is_empty(void **state)
{
	static const char *const name[] = { ".hidden", "x", "..." };
	CX_AUTO_FD int fd = -1;

	(void)state;
	assert_int_equal(mkdirat(place_fd, "empty", 0755), 0);
	fd = openat(place_fd, "empty", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(cx_path_is_empty(fd));
	for (size_t i = 0; i < CX_COUNT(name); i++) {
		assert_int_equal(mkdirat(fd, name[i], 0755), 0);
		assert_false(cx_path_is_empty(fd));
		assert_int_equal(unlinkat(fd, name[i], AT_REMOVEDIR), 0);
	}
	assert_true(cx_path_is_empty(fd));
	assert_false(cx_path_is_empty(-1));
}

static void opens_below_only(void **state)
{
	static const char *const bad[] = {
		"link", "up/passwd", "../x", "/etc/passwd",
	};
	CX_AUTO_FD int fd = -1;

	(void)state;
	put("file", "x");
	assert_int_equal(cx_path_make(place_fd, "in/deep/er", 0755), 0);
	assert_int_equal(symlinkat("file", place_fd, "link"), 0);
	assert_int_equal(symlinkat("/etc", place_fd, "up"), 0);
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_true(cx_path_open(place_fd, bad[i], O_RDONLY, 0) < 0);
	fd = cx_path_open(place_fd, "file", O_RDONLY, 0);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

/* A chain deeper than PATH_MAX, with links out of it and closed folders. */
static void make_deep_tree(void)
{
	int at = openat(place_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int depth = 0; depth < 1500; depth++) {
		const char *name = depth ? "dddddddddddddddd" : "tree";
		int next;

		assert_int_equal(mkdirat(at, name, 0755), 0);
		next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
		if (depth % 100 == 0) {
			assert_int_equal(symlinkat("../../kept", at, "l"), 0);
			assert_int_equal(mkdirat(at, "closed", 0), 0);
		}
	}
	assert_int_equal(fchmod(at, 0), 0);
	close(at);
}

static void removes_any_tree(void **state)
{
	(void)state;
	put("kept", "outside the tree");
	make_deep_tree();
	assert_int_equal(cx_path_remove(place_fd, "tree"), 0);
	assert_int_equal(faccessat(place_fd, "tree", F_OK, 0), -1);
	assert_int_equal(faccessat(place_fd, "kept", F_OK, 0), 0);
	assert_int_equal(cx_path_remove(place_fd, "tree"), 0);
}

static void replaces_whole(void **state)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;
	struct stat info;

	(void)state;
	put("one", "old");
	put("one", "new");
	assert_int_equal(cx_fd_load(place_fd, "one", 100, &text, &err), 0);
	assert_string_equal(text.data, "new");
	assert_int_equal(fstatat(place_fd, "one", &info, 0), 0);
	assert_int_equal(info.st_mode & 07777, 0644);
	cx_buf_clear(&text);
	assert_int_equal(cx_fd_load(place_fd, "one", 2, &text, &err), -1);
	assert_int_equal(err.code, CX_E_INPUT_INVALID);
	assert_int_equal(cx_fd_load(place_fd, "none", 2, &text, &err), -1);
	assert_int_equal(cx_err_exit(&err), 66);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_is_empty),
		cmocka_unit_test(opens_below_only),
		cmocka_unit_test(removes_any_tree),
		cmocka_unit_test(replaces_whole),
	};

	return cmocka_run_group_tests(tests, place_begin, place_end);
}
