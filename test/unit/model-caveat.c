/* model-caveat.c - caveats: exact reading, writing, and what they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "model/narrow.h"

#define DIGEST "sha256:" \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void reading(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} row[] = {
		{ "{\"expires\":0}", true },
		{ "{\"expires\":9007199254740991}", true },
		{ "{\"expires\":9007199254740992}", false },
		{ "{\"expires\":-1}", false },
		{ "{\"expires\":\"1\"}", false },
		{ "{\"egress\":\"none\"}", true },
		{ "{\"egress\":\"allowlist\"}", true },
		{ "{\"egress\":\"default_internet\"}", true },
		{ "{\"egress\":\"None\"}", false },
		{ "{\"hosts\":[]}", true },
		{ "{\"hosts\":[\"a.example\",\"*.b\",\"c:8080\"]}", true },
		{ "{\"hosts\":[\"a.example\",]}", false },
		{ "{\"hosts\":[\"a.example\" ,\"b\"]}", false },
		{ "{\"hosts\":\"a.example\"}", false },
		{ "{\"image\":\"" DIGEST "\"}", true },
		{ "{\"image\":\"" DIGEST "0\"}", false },
		{ "{\"image\":\"latest\"}", false },
		{ "{\"skills\":\"" DIGEST "\"}", true },
		{ "{\"commands\":1}", true },
		{ "{\"commands\":1000000}", true },
		{ "{\"commands\":1000001}", false },
		{ "{\"commands\":0}", false },
		{ "{\"commands\":1.0}", false },
		{ "{\"surface\":\"agent\"}", true },
		{ "{\"surface\":\"voice\"}", false },
		{ "{\"colour\":\"red\"}", false },
		{ "{\"commands\":1,\"egress\":\"none\"}", false },
		{ "{ \"commands\":1}", false },
		{ "{\"commands\":1} ", false },
		{ "[\"commands\"]", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };
		CX_AUTO_BUF struct cx_buf again = { 0 };
		bool good = cx_caveat_read(row[i].text, strlen(row[i].text),
		                           &caveats);

		assert_int_equal(good, row[i].good);
		assert_int_equal(caveats.count, row[i].good);
		if (!good)
			continue;
		cx_caveat_write(&caveats.item[0], &again);
		assert_string_equal(again.data, row[i].text);
	}
}

static void hosts(void **state)
{
	static const struct {
		const char *entry;
		bool good;
	} row[] = {
		{ "example.org", true },     { "*.example.org", true },
		{ "example.org:1", true },   { "*.example.org:65535", true },
		{ "localhost", true },       { "10.0.0.1", true },
		{ "a-b.c", true },           { "", false },
		{ "*.", false },             { "*", false },
		{ ".a", false },             { "a.", false },
		{ "a..b", false },           { "-a.b", false },
		{ "a-.b", false },           { "a.b-", false },
		{ "A.b", false },            { "a_b", false },
		{ "a:0", false },            { "a:65536", false },
		{ "a:01", false },           { "a:", false },
		{ ":80", false },            { "a:80:81", false },
		{ "*.*.a", false },          { "a b", false },
		{ "[::1]:80", false },       { "http://a", false },
		{ "*.:80", false },
	};
	char label[66];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_caveat_is_host(row[i].entry), row[i].good);
	memset(label, 'a', 64);
	label[64] = '\0';
	assert_false(cx_caveat_is_host(label));
	label[63] = '\0';
	assert_true(cx_caveat_is_host(label));
}

static void add(struct cx_caveats *caveats, const char *text)
{
	assert_true(cx_caveat_read(text, strlen(text), caveats));
}

static void hosts_cover(void **state)
{
	static const struct {
		const char *asked;
		bool within;
	} row[] = {
		{ "example.org", true },      { "a.example.org", true },
		{ "*.example.org", true },    { "*.a.example.org", true },
		{ "example.org:80", true },   { "example.org:443", true },
		{ "example.org:8080", false },{ "notexample.org", false },
		{ "org", false },             { "*.org", false },
		{ "example.org.evil", false },{ "b.example:8443", true },
		{ "b.example", false },       { "b.example:443", false },
		{ "x.b.example:8443", true }, { "", false },
	};
	CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };
	CX_AUTO_CAVEATS struct cx_caveats none = { NULL, 0 };

	(void)state;
	add(&caveats, "{\"hosts\":[\"*.example.org\",\"b.example:8443\"]}");
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		assert_int_equal(cx_narrow_admits_host(&caveats,
		                                       row[i].asked),
		                 row[i].within);
		assert_true(cx_narrow_admits_host(&none, row[i].asked));
	}
	/* every list must cover it */
	add(&caveats, "{\"hosts\":[\"a.example.org\"]}");
	assert_true(cx_narrow_admits_host(&caveats, "a.example.org"));
	assert_false(cx_narrow_admits_host(&caveats, "example.org"));
	add(&caveats, "{\"hosts\":[]}");
	assert_false(cx_narrow_admits_host(&caveats, "a.example.org"));
}

static void tiers(void **state)
{
	CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };

	(void)state;
	assert_int_equal(cx_narrow_tier(&caveats), CX_TIER_DEFAULT_INTERNET);
	add(&caveats, "{\"hosts\":[\"a.example\"]}");
	assert_int_equal(cx_narrow_tier(&caveats), CX_TIER_ALLOWLIST);
	add(&caveats, "{\"egress\":\"none\"}");
	add(&caveats, "{\"egress\":\"default_internet\"}");
	assert_int_equal(cx_narrow_tier(&caveats), CX_TIER_NONE);
	assert_true(cx_narrow_admits_tier(&caveats, CX_TIER_NONE));
	assert_false(cx_narrow_admits_tier(&caveats, CX_TIER_ALLOWLIST));
}

static void others(void **state)
{
	CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };

	(void)state;
	assert_true(cx_narrow_expires(&caveats) == INT64_MAX);
	assert_false(cx_narrow_has(&caveats, CX_CAVEAT_COMMANDS));
	add(&caveats, "{\"expires\":20}");
	add(&caveats, "{\"expires\":10}");
	add(&caveats, "{\"expires\":30}");
	add(&caveats, "{\"image\":\"" DIGEST "\"}");
	add(&caveats, "{\"surface\":\"task\"}");
	add(&caveats, "{\"commands\":3}");
	assert_true(cx_narrow_expires(&caveats) == 10);
	assert_true(cx_narrow_has(&caveats, CX_CAVEAT_COMMANDS));
	assert_true(cx_narrow_admits_image(&caveats, DIGEST));
	assert_false(cx_narrow_admits_image(&caveats, "sha256:0"));
	assert_true(cx_narrow_admits_skills(&caveats, "sha256:0"));
	assert_true(cx_narrow_admits_surface(&caveats, CX_SURFACE_TASK));
	assert_false(cx_narrow_admits_surface(&caveats, CX_SURFACE_CHAT));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(reading),
		cmocka_unit_test(hosts),
		cmocka_unit_test(hosts_cover),
		cmocka_unit_test(tiers),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
