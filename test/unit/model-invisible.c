/* model-invisible.c - what can't be seen, and what can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "model/invisible.h"

static void edges(void **state)
{
	static const uint32_t hidden[] = {
		0xa0, 0xad, 0x34f, 0x600, 0x605, 0x61c, 0x180e, 0x2000, 0x200b,
		0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e,
		0x202f, 0x205f, 0x2060, 0x2064, 0x2065, 0x2066, 0x2069, 0x206f,
		0x2800, 0x3000, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9,
		0xfffb, 0x1343f, 0x1d173, 0x1d17a, 0xe0000, 0xe0001, 0xe0020,
		0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
	};
	static const uint32_t seen[] = {
		' ', 'a', 0x9f, 0xa1, 0xac, 0xae, 0x34e, 0x350, 0x606, 0x1fff,
		0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x27ff, 0x2801, 0x3001,
		0xfdff, 0xfe10, 0xfefe, 0xff00, 0xffef, 0xfffc, 0xfffd, 0x1f600,
		0xdffff, 0xe1000, 0x10ffff,
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(hidden); i++)
		if (!cx_invisible_is(hidden[i]))
			fail_msg("U+%04X counts as seen", (unsigned)hidden[i]);
	for (size_t i = 0; i < CX_COUNT(seen); i++)
		if (cx_invisible_is(seen[i]))
			fail_msg("U+%04X counts as hidden", (unsigned)seen[i]);
}

static void texts(void **state)
{
	static const struct {
		const char *text;
		bool in, whole;
	} row[] = {
		{ "", false, true },
		{ " \t", false, true },
		{ "acme", false, false },
		{ "ac me \xc3\xa5 \xf0\x9f\x98\x80", false, false },
		{ "ac\xe2\x80\x8bme", true, false },
		{ "\xe2\x80\x8b", true, true },
		{ " \xc2\xa0\xef\xbb\xbf", true, true },
		{ "a\xf3\xa0\x81\xa1", true, false },
		{ "a\xff", true, false },
		{ "\xff", true, false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		assert_int_equal(cx_invisible_in(row[i].text), row[i].in);
		assert_int_equal(cx_invisible_whole(row[i].text), row[i].whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
