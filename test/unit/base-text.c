/* base-text.c - numbers, hexadecimal, base64, UTF-8: rows in, verdict out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/b64.h"
#include "base/count.h"
#include "base/hex.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"

static void numbers(void **state)
{
	static const char *const bad[] = {
		"18446744073709551616", "", "00", "01", "+1", "-1", " 1", "1 ",
		"1e3", "0x10", "99999999999999999999",
	};
	uint64_t n = 42;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_false(cx_num_parse(bad[i], 0, UINT64_MAX, &n));
	assert_false(cx_num_parse("5", 6, 9, &n));
	assert_false(cx_num_parse("10", 6, 9, &n));
	assert_true(n == 42);
	assert_true(cx_num_parse("18446744073709551615", 0, UINT64_MAX, &n));
	assert_true(n == UINT64_MAX);
	assert_true(cx_num_parse("0", 0, 9, &n) && n == 0);
}

static void hexadecimal(void **state)
{
	uint8_t two[2];
	char text[5];

	(void)state;
	assert_true(cx_hex_read("00ff", two, 2));
	cx_hex_write(two, 2, text);
	assert_string_equal(text, "00ff");
	assert_false(cx_hex_read("00FF", two, 2));
	assert_false(cx_hex_read("00f", two, 2));
	assert_false(cx_hex_read("00ff0", two, 2));
	assert_false(cx_hex_read("0 ff", two, 2));
}

static void base64(void **state)
{
	static const struct {
		enum cx_b64_form form;
		const char *text;
		int size; /* -1: refused */
	} row[] = {
		{ CX_B64_URL, "", 0 }, { CX_B64_URL, "Zg", 1 },
		{ CX_B64_URL, "Zm8", 2 }, { CX_B64_URL, "Zm9v", 3 },
		{ CX_B64_URL, "Zh", -1 }, { CX_B64_URL, "Zm9", -1 },
		{ CX_B64_URL, "Zg==", -1 }, { CX_B64_URL, "Z", -1 },
		{ CX_B64_URL, "Zm9vZ", -1 }, { CX_B64_URL, "__-_", 3 },
		{ CX_B64_URL, "//+/", -1 }, { CX_B64_URL, "Zm 9v", -1 },
		{ CX_B64_PADDED, "Zg==", 1 }, { CX_B64_PADDED, "Zm8=", 2 },
		{ CX_B64_PADDED, "Zm9v", 3 }, { CX_B64_PADDED, "Zg", -1 },
		{ CX_B64_PADDED, "Zh==", -1 }, { CX_B64_PADDED, "Zg=", -1 },
		{ CX_B64_PADDED, "Z===", -1 }, { CX_B64_PADDED, "====", -1 },
		{ CX_B64_PADDED, "Zg==Zg==", -1 }, { CX_B64_PADDED, "//+/", 3 },
		{ CX_B64_PADDED, "__-_", -1 }, { CX_B64_PADDED, "Zm9v\n", -1 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_BUF struct cx_buf bytes = { 0 };
		CX_AUTO_BUF struct cx_buf again = { 0 };
		bool ok = cx_b64_read(row[i].form, row[i].text,
		                      strlen(row[i].text), &bytes);

		assert_int_equal(ok, row[i].size >= 0);
		if (!ok)
			continue;
		assert_int_equal(bytes.size, row[i].size);
		cx_b64_write(row[i].form, bytes.data, bytes.size, &again);
		assert_string_equal(again.data, row[i].text);
	}
}

static void utf8(void **state)
{
	static const struct {
		const char *text;
		size_t bad; /* offset of the first bad byte, or the length */
	} row[] = {
		{ "plain", 5 }, { "\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80", 9 },
		{ "a\xc0\xaf", 1 }, { "\xe0\x80\xaf", 0 },
		{ "\xed\xa0\x80", 0 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xf8\x88\x80\x80\x80", 0 }, { "ok\x80", 2 },
		{ "ok\xe6\x97", 2 }, { "\xf0\x80\x80\x80", 0 },
		{ "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 10 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		size_t size = strlen(row[i].text), at = size;
		bool ok = cx_str_utf8_all(row[i].text, size, &at);

		assert_int_equal(ok, row[i].bad == size);
		assert_int_equal(at, row[i].bad);
	}
}

static void controls(void **state)
{
	static const char *const bad[] = {
		"\n", "a\x1b[31m", "\x7f", "\xc2\x9b", "\xe2\x80\xae",
		"\xe2\x81\xa6", "\xd8\x9c", "\xe2\x80\x8f", "\xff",
	};
	static const char *const good[] = {
		"", "plain", "\xc3\xbc", "\xe2\x80\x94", "\xc2\xa0",
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_true(cx_str_has_control(bad[i]));
	for (size_t i = 0; i < CX_COUNT(good); i++)
		assert_false(cx_str_has_control(good[i]));
}

static void paths(void **state)
{
	static const char *const good[] = { "a", "a/b", "..a", "a..", ".b" };
	static const char *const bad[] = {
		"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "./a",
	};
	char name[300];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(good); i++)
		assert_true(cx_path_plain(good[i]));
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_false(cx_path_plain(bad[i]));
	memset(name, 'n', sizeof name);
	name[256] = '\0';
	assert_false(cx_path_plain(name));
	name[255] = '\0';
	assert_true(cx_path_plain(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(hexadecimal),
		cmocka_unit_test(base64), cmocka_unit_test(utf8),
		cmocka_unit_test(controls), cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
