/*
 * model-range.c - the table of protected ranges against IANA's registries.
 *
 * Of every block of both: the address before its first, its first, its last
 * and the one behind. What each must be is worked out here from the
 * registries themselves and from what goes beyond them on purpose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "model/range.h"

enum { COLUMN_REACHABLE = 8, COLUMNS = 10, BLOCKS_MAX = 128 };

static const char *const registry[] = {
	"share/iana/iana-ipv4-special-registry-1.csv",
	"share/iana/iana-ipv6-special-registry-1.csv",
};

/* Protected whatever the registries mark, or not in them at all. */
static const char *const beyond[] = {
	"192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4", "168.63.129.16",
	"2001::/23", "2002::/16", "::/3", "4000::/2", "8000::/1",
};

static struct { struct cx_prefix prefix; bool reachable; } block[BLOCKS_MAX];
static size_t blocks;

/* The next cell, without its quotes; false: there is none in this row. */
static bool cell_of(const char **at, char ret[256])
{
	bool quoted = **at == '"';
	size_t n = 0;

	if (**at == '\0' || **at == '\n')
		return false;
	for (*at += quoted; **at; (*at)++) {
		if (quoted && (*at)[0] == '"' && (*at)[1] == '"')
			(*at)++;
		else if (quoted && **at == '"')
			quoted = false;
		else if (!quoted && (**at == ',' || **at == '\n'))
			break;
		if (**at != '"' && n < 255)
			ret[n++] = **at;
	}
	ret[n] = '\0';
	*at += **at == ',';
	return true;
}

/* "192.0.0.170/32, 192.0.0.171/32", or one block; " [2]" is a footnote. */
static void add_blocks(const char *cell, bool reachable)
{
	while (*cell) {
		size_t size = strcspn(cell, " ,");

		assert_true(blocks < BLOCKS_MAX);
		if (cell[0] != '[') {
			assert_true(cx_addr_read_prefix(cell, size,
			            &block[blocks].prefix));
			block[blocks++].reachable = reachable;
		}
		cell += size;
		cell += strspn(cell, " ,");
	}
}

static void read_rows(const char *path, const char *text, size_t size)
{
	const char *end = text + size;
	size_t rows = 0;

	(void)path;
	for (text = strchr(text, '\n') + 1; text < end; text++) {
		char cell[COLUMNS][256] = { "" };
		size_t n = 0;

		while (n < COLUMNS && cell_of(&text, cell[n]))
			n++;
		assert_true(n >= COLUMNS - 1);
		assert_int_equal(*text, '\n');
		add_blocks(cell[0],
		           strcmp(cell[COLUMN_REACHABLE], "True") == 0);
		rows++;
	}
	assert_true(rows >= 20);
}

static int read_registries(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(registry); i++) {
		CX_AUTO_FREE char *text = NULL;
		size_t size;

		text = corpus_load(registry[i], &size);
		read_rows(registry[i], text, size);
	}
	return 0;
}

static bool is_protected(const struct cx_addr *addr)
{
	for (size_t i = 0; i < blocks; i++)
		if (!block[i].reachable &&
		    cx_addr_is_in(addr, &block[i].prefix))
			return true;
	for (size_t i = 0; i < CX_COUNT(beyond); i++) {
		struct cx_prefix prefix;

		assert_true(cx_addr_read_prefix(beyond[i], strlen(beyond[i]),
		                                &prefix));
		if (cx_addr_is_in(addr, &prefix))
			return true;
	}
	return false;
}

/* by: 1 or -1; false: there is no such address. */
static bool move(struct cx_addr *addr, int by)
{
	for (size_t at = addr->v6 ? 16 : 4; at-- > 0;) {
		addr->byte[at] = (uint8_t)(addr->byte[at] + by);
		if (addr->byte[at] != (by > 0 ? 0 : 255))
			return true;
	}
	return false;
}

static void check(const struct cx_addr *addr)
{
	bool expected = is_protected(addr);
	const char *range = cx_range_find(addr, NULL, 0);
	char text[CX_ADDR_TEXT_BYTES];

	cx_addr_write(addr, text);
	if ((range != NULL) != expected)
		fail_msg("%s is %s, and should be %s", text,
		         range ? range : "public",
		         expected ? "protected" : "public");
}

static struct cx_addr last_of(const struct cx_prefix *prefix)
{
	struct cx_addr addr = prefix->addr;

	for (unsigned bit = prefix->bits; bit < (addr.v6 ? 128 : 32); bit++)
		addr.byte[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	return addr;
}

static void test_edges(void **state)
{
	(void)state;
	assert_true(blocks >= 48);
	for (size_t i = 0; i < blocks; i++) {
		struct cx_addr first = block[i].prefix.addr;
		struct cx_addr last = last_of(&block[i].prefix);

		check(&first);
		check(&last);
		if (move(&first, -1))
			check(&first);
		if (move(&last, 1))
			check(&last);
	}
}

/* What the registries don't mark reachable is protected to its last bit:
 * each bit behind the prefix set by itself. */
static void test_insides(void **state)
{
	(void)state;
	for (size_t i = 0; i < blocks; i++)
		for (unsigned bit = block[i].prefix.bits;
		     bit < (block[i].prefix.addr.v6 ? 128 : 32); bit++) {
			struct cx_addr addr = block[i].prefix.addr;

			addr.byte[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
			check(&addr);
		}
}

static void test_beyond(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(beyond); i++) {
		struct cx_prefix prefix;
		struct cx_addr addr;

		assert_true(cx_addr_read_prefix(beyond[i], strlen(beyond[i]),
		                                &prefix));
		check(&prefix.addr);
		addr = last_of(&prefix);
		check(&addr);
		if (move(&addr, 1))
			check(&addr);
		if (move(&prefix.addr, -1))
			check(&prefix.addr);
	}
}

/* No exception lifts loopback, link-local, multicast or the unspecified
 * address, nor a network that holds one of them. */
static void test_fixed(void **state)
{
	static const struct { const char *prefix; bool fixed; } row[] = {
		{ "127.0.0.1", true }, { "127.0.0.0/8", true },
		{ "0.0.0.0/0", true }, { "169.254.0.0/16", true },
		{ "169.254.169.254", true }, { "168.0.0.0/7", true },
		{ "224.0.0.1", true }, { "255.255.255.255", true },
		{ "0.0.0.0", true }, { "10.0.0.0/8", false },
		{ "203.0.113.0/24", false }, { "100.64.0.0/10", false },
		{ "192.168.0.0/16", false }, { "::1", true }, { "::/0", true },
		{ "::ffff:10.0.0.1", true }, { "fe80::/10", true },
		{ "fe80::/9", true }, { "ff00::/8", true }, { "::", true },
		{ "fd00::/8", false }, { "2001:db8::/32", false },
		{ "2000::/3", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_prefix prefix;

		assert_true(cx_addr_read_prefix(row[i].prefix,
		            strlen(row[i].prefix), &prefix));
		if (cx_range_is_fixed(&prefix) != row[i].fixed)
			fail_msg("%s", row[i].prefix);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_insides),
		cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_fixed),
	};

	return cmocka_run_group_tests(test, read_registries, NULL);
}
