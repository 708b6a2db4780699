/*
 * model-host.c - what reads as a name is an address to no resolver.
 *
 * Of a million made-up hosts, most of them some spelling of a number; as many
 * as CX_HOSTS says, when it is set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "../lib/hosts.h"
#include "base/num.h"
#include "model/decide.h"
#include "model/hostport.h"

enum { HOSTS = 1000000 / CORPUS_SLOWER };

/* The resolvers do take what they are known to: the test can fail. */
static void test_resolvers(void **state)
{
	ares_channel channel = hosts_channel();
	struct in_addr v4;

	(void)state;
	assert_string_equal(hosts_taken_by(channel, "0177.0.0.1"),
	                    "getaddrinfo");
	assert_int_equal(inet_aton("0x7f.1", &v4), 1);
	assert_true(hosts_taken_by_ares(channel, "127.0.0.1"));
	assert_true(hosts_taken_by_ares(channel, "::1"));
	assert_false(hosts_taken_by_ares(channel, "a.example"));
	assert_null(hosts_taken_by(channel, "a.example"));
	ares_destroy(channel);
}

static void demand_name(ares_channel channel, const char *text)
{
	const char *taker = hosts_taken_by(channel, text);

	if (taker)
		fail_msg("%s takes %s for an address", taker, text);
}

static uint64_t how_many(void)
{
	const char *said = getenv("CX_HOSTS");
	uint64_t count = HOSTS;

	if (said && !cx_num_parse(said, 1, UINT32_MAX, &count))
		fail_msg("CX_HOSTS is no number");
	return count;
}

static void test_made_up(void **state)
{
	struct hosts_source source = { .draw = hosts_draw, .state = 1 };
	ares_channel channel = hosts_channel();
	uint64_t count = how_many();
	uint64_t names = 0;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		char text[HOSTS_TEXT_BYTES];
		size_t size = hosts_make(&source, text);
		struct cx_host host;

		if (cx_host_read(text, size, &host) != CX_HOST_NAME)
			continue;
		demand_name(channel, text);
		demand_name(channel, host.name);
		names++;
	}
	assert_true(names * 10 >= count);
	ares_destroy(channel);
}

/* Everybody reads a literal as we do. */
static void test_literals(void **state)
{
	struct hosts_source source = { .draw = hosts_draw, .state = 7 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[CX_ADDR_TEXT_BYTES], bracketed[CX_ADDR_TEXT_BYTES + 2];
		struct cx_addr addr = { .v6 = source.draw(&source) & 1 };
		struct cx_host host;
		uint8_t theirs[16] = { 0 };
		size_t size;

		for (size_t k = 0; k < (addr.v6 ? 16 : 4); k++)
			addr.byte[k] = source.draw(&source) & 1 ? 0 :
			               source.draw(&source);
		cx_addr_write(&addr, text);
		assert_int_equal(inet_pton(addr.v6 ? AF_INET6 : AF_INET, text,
		                           theirs), 1);
		assert_memory_equal(theirs, addr.byte, sizeof theirs);
		size = (size_t)snprintf(bracketed, sizeof bracketed,
		                        addr.v6 ? "[%s]" : "%s", text);
		assert_int_equal(cx_host_read(bracketed, size, &host),
		                 CX_HOST_LITERAL);
		assert_true(cx_addr_is_same(&host.addr, &addr));
	}
}

static void test_entries(void **state)
{
	static const struct {
		const char *text, *name; /* NULL: refused */
		uint16_t port;
	} row[] = {
		{ "a.example", "a.example", 0 },
		{ "A.Example.", "a.example", 0 },
		{ "*.a.example", "a.example", 0 },
		{ ".a.example", "a.example", 0 },
		{ "a.example:8443", "a.example", 8443 },
		{ "*.a.example:80", "a.example", 80 },
		{ "192.0.2.1", "192.0.2.1", 0 },
		{ "192.0.2.1:22", "192.0.2.1", 22 },
		{ "[2001:DB8::1]", "2001:db8::1", 0 },
		{ "[2001:db8::1]:53", "2001:db8::1", 53 },
		{ "", NULL, 0 }, { "*", NULL, 0 }, { ".", NULL, 0 },
		{ "*.", NULL, 0 }, { "*..a", NULL, 0 }, { "..a", NULL, 0 },
		{ "*.*.a", NULL, 0 }, { "a.*.b", NULL, 0 }, { "*a.b", NULL, 0 },
		{ "a.example:", NULL, 0 }, { "a.example:0", NULL, 0 },
		{ "a.example:080", NULL, 0 }, { "a.example:65536", NULL, 0 },
		{ "a.example:+1", NULL, 0 }, { "a:b:1", NULL, 0 },
		{ "::1", NULL, 0 }, { "[::1", NULL, 0 }, { "::1]", NULL, 0 },
		{ "*.192.0.2.1", NULL, 0 }, { ".[::1]", NULL, 0 },
		{ "http://a.example", NULL, 0 }, { "a.example/x", NULL, 0 },
		{ "u@a.example", NULL, 0 }, { "10.0.0.0/8", NULL, 0 },
		{ "127.1", NULL, 0 }, { "a b", NULL, 0 }, { "a,b", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_entry entry;
		bool read = cx_hostport_read(row[i].text, strlen(row[i].text),
		                             &entry);

		if (read != (row[i].name != NULL))
			fail_msg("%s is %sread", row[i].text,
			         read ? "" : "not ");
		assert_int_equal(cx_hostport_fits(row[i].text), read);
		if (!read)
			continue;
		assert_string_equal(entry.host.name, row[i].name);
		assert_int_equal(entry.port, row[i].port);
	}
}

/* An entry stands for itself and what is under it; never a look-alike. */
static void test_matching(void **state)
{
	static const struct { const char *entry, *host; bool covers; } row[] = {
		{ "a.example", "a.example", true },
		{ "a.example", "b.a.example", true },
		{ "a.example", "c.b.a.example", true },
		{ "a.example", "xa.example", false },
		{ "a.example", "a.example.b.example", false },
		{ "a.example", "example", false },
		{ "a.example", "a.example.a", false },
		{ "a.example", "a-example", false },
		{ "1.2.3.4", "1.2.3.4", true }, { "1.2.3.4", "11.2.3.4", false },
		{ "[::1]", "[0:0::1]", true }, { "[::1]", "[::2]", false },
		{ "[::ffff:1.2.3.4]", "1.2.3.4", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_entry entry;
		struct cx_host host;

		assert_true(cx_hostport_read(row[i].entry,
		            strlen(row[i].entry), &entry));
		assert_true(cx_host_read(row[i].host, strlen(row[i].host),
		                         &host) >= CX_HOST_NAME);
		if (cx_decide_covers(&entry, &host) != row[i].covers)
			fail_msg("%s, %s", row[i].entry, row[i].host);
	}
}

static void demand_host(const char *path, const char *text, size_t size)
{
	struct cx_host host;
	bool is = cx_host_read(text, size, &host) >= CX_HOST_NAME;

	if (is != (strstr(path, "/ok/") != NULL))
		fail_msg("%s is %s host", path, is ? "a" : "no");
}

static void test_corpus(void **state)
{
	(void)state;
	assert_true(corpus_walk("test/data/host/ok", ".host", demand_host) > 30);
	assert_true(corpus_walk("test/data/host/bad", ".host", demand_host) > 20);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_resolvers),
		cmocka_unit_test(test_made_up),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_matching),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
