/* sys-knob.c - one-line files and lists: rows in, numbers out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "sys/knob.h"

static int folder(char *ret_name, size_t size)
{
	snprintf(ret_name, size, "/tmp/cx-knob-XXXXXX");
	assert_non_null(mkdtemp(ret_name));
	return open(ret_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put(int dir_fd, const char *text)
{
	CX_AUTO_FD int fd = openat(dir_fd, "knob", O_WRONLY | O_CREAT |
	                           O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(cx_fd_write(fd, text, strlen(text)), 0);
}

static void reads_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t number;
	} row[] = {
		{ "0\n", 0 }, { "42\n", 42 }, { "42", 42 }, { "", -1 },
		{ "\n", -1 }, { "max\n", -1 }, { "-1\n", -1 }, { "4x\n", -1 },
		{ "9223372036854775807\n", INT64_MAX },
		{ "9223372036854775808\n", -1 },
		{ "18446744073709551615\n", -1 },
	};
	char name[32];
	CX_AUTO_FD int fd = folder(name, sizeof name);

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		put(fd, row[i].text);
		assert_true(cx_knob_number(fd, "knob") == row[i].number);
	}
	assert_true(cx_knob_number(fd, "none") == -1);
	assert_int_equal(cx_path_remove(AT_FDCWD, name), 0);
}

static void reads_fields(void **state)
{
	static const struct {
		const char *key;
		int64_t number;
	} row[] = {
		{ "oom", 3 }, { "oom_kill", 12 }, { "max", 7 }, { "ma", -1 },
		{ "kill", -1 }, { "last", 9 }, { "word", -1 }, { "", -1 },
	};
	char name[32];
	CX_AUTO_FD int fd = folder(name, sizeof name);

	(void)state;
	put(fd, "oom 3\noom_kill 12\nmax 7\nword max\nlast 9");
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_true(cx_knob_field(fd, "knob", row[i].key) ==
		            row[i].number);
	assert_true(cx_knob_has_word(fd, "knob", "last"));
	assert_false(cx_knob_has_word(fd, "knob", "oom_"));
	assert_int_equal(cx_path_remove(AT_FDCWD, name), 0);
}

static void writes_numbers(void **state)
{
	static const uint64_t row[] = { 0, 7, 10, 1073741824, UINT64_MAX };
	char name[32];
	char text[32];
	char expected[32];
	CX_AUTO_FD int fd = folder(name, sizeof name);

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		put(fd, "");
		assert_int_equal(cx_knob_write_number(fd, "knob", row[i]), 0);
		assert_int_equal(cx_knob_read(fd, "knob", text, sizeof text),
		                 0);
		snprintf(expected, sizeof expected, "%llu",
		         (unsigned long long)row[i]);
		assert_string_equal(text, expected);
	}
	assert_int_equal(cx_knob_write(fd, "none", "1"), -1);
	assert_int_equal(cx_path_remove(AT_FDCWD, name), 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(reads_numbers),
		cmocka_unit_test(reads_fields),
		cmocka_unit_test(writes_numbers),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
