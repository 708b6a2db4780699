/* plane-allowlist.c - entries as people write them, other scripts too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "plane/allowlist.h"

static const struct {
	const char *text;
	const char *name; /* NULL: refused */
	uint16_t port;
} row[] = {
	{ "a.example", "a.example", 0 },
	{ "*.A.example.:8443", "a.example", 8443 },
	{ "[2001:db8::1]:22", "2001:db8::1", 22 },
	{ "b\xc3\xbc" "cher.example", "xn--bcher-kva.example", 0 },
	{ "*.B\xc3\x9c" "CHER.example:80", "xn--bcher-kva.example", 80 },
	{ "u\xcc\x88" "ber.example", "xn--ber-goa.example", 0 },
	{ "fa\xc3\x9f.de", "xn--fa-hia.de", 0 },
	{ "xn--bcher-kva.example", "xn--bcher-kva.example", 0 },
	/* an ideographic full stop is a dot; what then reads as an address,
	 * or as anybody's suffix, isn't taken */
	{ "a\xe3\x80\x82" "b.example", "a.b.example", 0 },
	{ "127\xe3\x80\x82" "0\xe3\x80\x82" "0\xe3\x80\x82" "1", NULL, 0 },
	{ "\xef\xbc\x91" "27.0.0.1", NULL, 0 },
	{ "co\xe3\x80\x82uk", NULL, 0 },
	{ "\xe5\x85\xac\xe5\x8f\xb8.cn", NULL, 0 },
	{ "xn--55qx5d.cn", NULL, 0 },
	{ "co.uk", NULL, 0 }, { "*.com", NULL, 0 }, { "com:443", NULL, 0 },
	{ "localhost", NULL, 0 }, { "github.io", NULL, 0 },
	{ "*", NULL, 0 }, { "*.*", NULL, 0 }, { "", NULL, 0 },
	{ "xn--a.example", NULL, 0 }, { "xn--0.a.example", NULL, 0 },
	{ "a\xff.example", NULL, 0 },
	/* what shows as nothing is nothing (UTS 46) */
	{ "\xe2\x80\x8b" "a.example", "a.example", 0 },
	{ "a\xe2\x81\x84" "b.example", NULL, 0 },
	{ "a.example\xef\xbc\x9a" "443", NULL, 0 },
	{ "*.1.1.1.1", NULL, 0 }, { "1.1.1.1.", NULL, 0 },
	{ "a.example:http", NULL, 0 },
};

static void test_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_entry entry;
		struct cx_err err = { 0 };
		int result = cx_allowlist_read(row[i].text, &entry, &err);

		if ((result == 0) != (row[i].name != NULL))
			fail_msg("%s: %s", row[i].text, result == 0 ?
			         entry.host.name : err.text);
		if (result < 0) {
			assert_int_equal(err.code, CX_E_INPUT_INVALID);
			continue;
		}
		assert_string_equal(entry.host.name, row[i].name);
		assert_int_equal(entry.port, row[i].port);
	}
}

/* As long as may be, and longer. */
static void test_lengths(void **state)
{
	char text[CX_ALLOWLIST_TEXT_MAX + 2];
	struct cx_entry entry;
	struct cx_err err;

	(void)state;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	assert_int_equal(cx_allowlist_read(text, &entry, &err), -1);
	text[CX_ALLOWLIST_TEXT_MAX] = '\0';
	assert_int_equal(cx_allowlist_read(text, &entry, &err), -1);
	text[63] = '.';
	memcpy(text + 64, "example", 8);
	assert_int_equal(cx_allowlist_read(text, &entry, &err), 0);
	text[63] = 'a';
	memcpy(text + 64, ".example", 9);
	assert_int_equal(cx_allowlist_read(text, &entry, &err), -1);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
