/* model-addr.c - literals that are addresses, and those that only look it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "model/range.h"

static const struct {
	const char *text;
	const char *canonical; /* NULL: no address */
} literal[] = {
	{ "0.0.0.0", "0.0.0.0" }, { "255.255.255.255", "255.255.255.255" },
	{ "1.2.3", NULL }, { "1.2.3.4.", NULL }, { "01.2.3.4", NULL },
	{ "1.2.3.256", NULL }, { "1.2.3.4.5", NULL }, { "1..2.3", NULL },
	{ "0x1.2.3.4", NULL }, { " 1.2.3.4", NULL }, { "", NULL },
	{ "::", "::" }, { "::1", "::1" }, { "1::", "1::" },
	{ "0:0:0:0:0:0:0:1", "::1" }, { "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8" },
	{ "1:0:0:2:0:0:0:3", "1:0:0:2::3" }, { "1:0:2:3:4:5:6:7",
	  "1:0:2:3:4:5:6:7" },
	{ "2001:DB8::A", "2001:db8::a" }, { "::ffff:1.2.3.4",
	  "::ffff:102:304" },
	{ "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304" },
	{ "1:2:3:4:5:6:7:1.2.3.4", NULL }, { ":::", NULL }, { ":1", NULL },
	{ "1:", NULL }, { "1::2::3", NULL }, { "12345::", NULL },
	{ "1:2:3:4:5:6:7", NULL }, { "1:2:3:4:5:6:7:8:9", NULL },
	{ "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0" }, { "1:2:3:4:5:6:7:8::",
	  NULL },
	{ "::1.2.3", NULL }, { "fe80::1%lo", NULL }, { "::1:", NULL },
	{ "::127.0.0.01", NULL }, { "1.2.3.4::", NULL },
};

static void test_literals(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(literal); i++) {
		char text[CX_ADDR_TEXT_BYTES];
		struct cx_addr addr;
		bool is = cx_addr_read(literal[i].text,
		                       strlen(literal[i].text), &addr);

		if (is != (literal[i].canonical != NULL))
			fail_msg("%s is %san address", literal[i].text,
			         is ? "" : "not ");
		if (!is)
			continue;
		cx_addr_write(&addr, text);
		assert_string_equal(text, literal[i].canonical);
	}
}

static void test_prefixes(void **state)
{
	static const struct { const char *text; bool is; } row[] = {
		{ "10.0.0.0/8", true }, { "10.0.0.1/8", false },
		{ "10.0.0.1", true }, { "10.0.0.0/33", false },
		{ "10.0.0.0/08", false }, { "10.0.0.0/", false },
		{ "::/0", true }, { "2001:db8::/32", true },
		{ "2001:db8::1/32", false }, { "::/129", false },
		{ "0.0.0.0/0", true }, { "10.0.0.0/+8", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_prefix prefix;

		if (cx_addr_read_prefix(row[i].text, strlen(row[i].text),
		                        &prefix) != row[i].is)
			fail_msg("%s", row[i].text);
	}
}

static const char *range_of(const char *text)
{
	struct cx_addr addr;
	const char *name;

	assert_true(cx_addr_read(text, strlen(text), &addr));
	name = cx_range_find(&addr, NULL, 0);
	return name ? name : "public";
}

static void test_ranges(void **state)
{
	static const struct { const char *addr, *range; } row[] = {
		{ "9.255.255.255", "public" }, { "10.0.0.0", "private" },
		{ "100.64.0.0", "shared_cgnat" }, { "100.128.0.0", "public" },
		{ "172.32.0.0", "public" }, { "192.0.0.192", "cloud_metadata" },
		{ "192.0.1.0", "public" }, { "192.88.99.255",
		  "6to4_relay_anycast" },
		{ "198.20.0.0", "public" }, { "223.255.255.255", "public" },
		{ "224.0.0.0", "multicast" }, { "240.0.0.0", "reserved" },
		{ "255.255.255.255", "broadcast" },
		{ "1fff:ffff::", "unallocated" }, { "2000::", "public" },
		{ "2001:1ff:ffff::", "ietf_protocol" }, { "2001:200::",
		  "public" },
		{ "2001:db9::", "public" }, { "2003::", "public" },
		{ "3fff:fff::1", "documentation" }, { "3fff:1000::", "public" },
		{ "4000::", "unallocated" }, { "fec0::1",
		  "site_local_deprecated" },
		{ "2600::5efe:7f00:1", "isatap" },
		{ "2600::200:5efe:808:808", "public" },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (strcmp(range_of(row[i].addr), row[i].range) != 0)
			fail_msg("%s is %s", row[i].addr,
			         range_of(row[i].addr));
}

/* RFC 6052, 2.4: 192.0.2.33 under a prefix of each length; here a private
 * and a public address, to be told from each other. */
static void test_nat64(void **state)
{
	static const struct { const char *prefix, *closed, *open; } row[] = {
		{ "2a00:db8::/32", "2a00:db8:a00:1::", "2a00:db8:808:808::" },
		{ "2a00:db8:100::/40", "2a00:db8:10a:0:1::",
		  "2a00:db8:108:808:8::" },
		{ "2a00:db8:122::/48", "2a00:db8:122:a00:0:100::",
		  "2a00:db8:122:808:8:800::" },
		{ "2a00:db8:122:300::/56", "2a00:db8:122:30a:0:1::",
		  "2a00:db8:122:308:8:808::" },
		{ "2a00:db8:122:344::/64", "2a00:db8:122:344:a:0:100:0",
		  "2a00:db8:122:344:8:808:800:0" },
		{ "64:ff9b::/96", "64:ff9b::a00:1", "64:ff9b::808:808" },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_prefix prefix;
		struct cx_addr addr;

		assert_true(cx_addr_read_prefix(row[i].prefix,
		            strlen(row[i].prefix), &prefix));
		assert_true(cx_range_is_nat64(&prefix));
		assert_true(cx_addr_read(row[i].closed, strlen(row[i].closed),
		                         &addr));
		assert_non_null(cx_range_find(&addr, &prefix, 1));
		assert_true(cx_addr_read(row[i].open, strlen(row[i].open),
		                         &addr));
		if (cx_range_find(&addr, &prefix, 1))
			fail_msg("%s isn't open", row[i].open);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_nat64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
