/* addr.c - see addr.h. */
#include "model/addr.h"

#include <string.h>

#include "base/hex.h"

enum { GROUPS = 8, WORD_DIGITS = 4 };

bool cx_addr_read_v4(const char *text, size_t size, struct cx_addr *ret)
{
	struct cx_addr addr = { 0 };
	size_t at = 0;

	for (int octet = 0; octet < 4; octet++) {
		unsigned value = 0;
		size_t from;

		if (octet > 0 && (at == size || text[at++] != '.'))
			return false;
		from = at;
		while (at < size && text[at] >= '0' && text[at] <= '9' &&
		       at - from < 3)
			value = value * 10 + (unsigned)(text[at++] - '0');
		if (at == from || value > 255 ||
		    (text[from] == '0' && at - from > 1))
			return false;
		addr.byte[octet] = (uint8_t)value;
	}
	if (at != size)
		return false;
	*ret = addr;
	return true;
}

/* Up to four hexadecimal digits; how many there were. */
static size_t read_group(const char *text, size_t size, unsigned *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < size && n < WORD_DIGITS && cx_hex_digit(text[n]) >= 0)
		*ret = *ret << 4 | (unsigned)cx_hex_digit(text[n++]);
	return n;
}

/* What is read of an address: groups before and after a "::". */
struct groups {
	uint8_t byte[2 * GROUPS];
	unsigned count;
	unsigned gap;     /* groups before it */
	bool has_gap;
};

static bool put_quad(const char *text, size_t size, struct groups *groups)
{
	struct cx_addr quad;

	if (groups->count > GROUPS - 2 || !cx_addr_read_v4(text, size, &quad))
		return false;
	memcpy(groups->byte + 2UL * groups->count, quad.byte, 4);
	groups->count += 2;
	return true;
}

static void put_group(struct groups *groups, unsigned value)
{
	uint8_t *at = groups->byte + 2UL * groups->count++;

	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* "::", or the ":" between two groups; how many bytes, 0: neither. */
static size_t read_colons(const char *text, size_t size,
                          struct groups *groups)
{
	if (size >= 2 && text[0] == ':' && text[1] == ':') {
		if (groups->has_gap)
			return 0;
		groups->has_gap = true;
		groups->gap = groups->count;
		return 2;
	}
	return groups->count > 0 && size > 1 && text[0] == ':';
}

static bool read_groups(const char *text, size_t size, struct groups *groups)
{
	size_t at = 0;

	while (at < size) {
		unsigned value;
		size_t n = 0;

		if (at > 0 || text[0] == ':') {
			n = read_colons(text + at, size - at, groups);
			if (n == 0)
				return false;
		}
		at += n;
		if (at == size)
			return groups->has_gap && groups->gap == groups->count;
		n = read_group(text + at, size - at, &value);
		if (at + n < size && text[at + n] == '.')
			return put_quad(text + at, size - at, groups);
		if (n == 0 || groups->count == GROUPS)
			return false;
		put_group(groups, value);
		at += n;
	}
	return true;
}

bool cx_addr_read_v6(const char *text, size_t size, struct cx_addr *ret)
{
	struct groups groups = { 0 };
	size_t head;
	size_t tail;

	if (size < 2 || !read_groups(text, size, &groups) ||
	    (groups.has_gap ? groups.count >= GROUPS : groups.count != GROUPS))
		return false;
	if (!groups.has_gap)
		groups.gap = groups.count;
	head = 2UL * groups.gap;
	tail = 2UL * (groups.count - groups.gap);
	*ret = (struct cx_addr){ .v6 = true };
	memcpy(ret->byte, groups.byte, head);
	memcpy(ret->byte + sizeof ret->byte - tail, groups.byte + head, tail);
	return true;
}

bool cx_addr_read(const char *text, size_t size, struct cx_addr *ret)
{
	return cx_addr_read_v4(text, size, ret) ||
	       cx_addr_read_v6(text, size, ret);
}

static unsigned width_of(const struct cx_addr *addr)
{
	return addr->v6 ? 128 : 32;
}

/* The first bits of both are the same. */
static bool agree(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned rest = bits % 8;

	if (memcmp(a, b, bits / 8) != 0)
		return false;
	return rest == 0 ||
	       (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0;
}

static bool has_bits_behind(const struct cx_prefix *prefix)
{
	for (unsigned bit = prefix->bits; bit < width_of(&prefix->addr); bit++)
		if (prefix->addr.byte[bit / 8] >> (7 - bit % 8) & 1)
			return true;
	return false;
}

bool cx_addr_read_prefix(const char *text, size_t size, struct cx_prefix *ret)
{
	const char *slash = memchr(text, '/', size);
	size_t length = slash ? (size_t)(slash - text) : size;
	size_t digits = slash ? size - length - 1 : 0;
	unsigned bits = 0;

	if (!cx_addr_read(text, length, &ret->addr))
		return false;
	ret->bits = (uint8_t)width_of(&ret->addr);
	if (!slash)
		return true;
	if (digits == 0 || digits > 3 || (digits > 1 && slash[1] == '0'))
		return false;
	for (size_t i = 1; i <= digits; i++) {
		if (slash[i] < '0' || slash[i] > '9')
			return false;
		bits = bits * 10 + (unsigned)(slash[i] - '0');
	}
	if (bits > ret->bits)
		return false;
	ret->bits = (uint8_t)bits;
	return !has_bits_behind(ret);
}

bool cx_addr_is_same(const struct cx_addr *a, const struct cx_addr *b)
{
	return a->v6 == b->v6 && agree(a->byte, b->byte, width_of(a));
}

bool cx_addr_is_in(const struct cx_addr *addr, const struct cx_prefix *prefix)
{
	return addr->v6 == prefix->addr.v6 &&
	       agree(addr->byte, prefix->addr.byte, prefix->bits);
}

bool cx_addr_overlaps(const struct cx_prefix *a, const struct cx_prefix *b)
{
	return a->addr.v6 == b->addr.v6 &&
	       agree(a->addr.byte, b->addr.byte,
	             a->bits < b->bits ? a->bits : b->bits);
}

static char *write_number(unsigned value, unsigned base, char *ret)
{
	static const char digit[] = "0123456789abcdef";
	char turned[8];
	size_t n = 0;

	do
		turned[n++] = digit[value % base];
	while ((value /= base) > 0);
	while (n > 0)
		*ret++ = turned[--n];
	return ret;
}

static void write_v4(const uint8_t *byte, char *ret)
{
	for (int i = 0; i < 4; i++) {
		if (i > 0)
			*ret++ = '.';
		ret = write_number(byte[i], 10, ret);
	}
	*ret = '\0';
}

static unsigned group_of(const struct cx_addr *addr, unsigned i)
{
	const uint8_t *at = addr->byte + 2UL * i;

	return (unsigned)at[0] << 8 | at[1];
}

/* The longest run of zero groups, the first of several; at least two. */
static unsigned find_gap(const struct cx_addr *addr, unsigned *ret_from)
{
	unsigned best = 1;

	*ret_from = GROUPS;
	for (unsigned from = 0, run = 0; from < GROUPS; from += run + 1) {
		for (run = 0; from + run < GROUPS; run++)
			if (group_of(addr, from + run) != 0)
				break;
		if (run > best) {
			best = run;
			*ret_from = from;
		}
	}
	return best;
}

void cx_addr_write(const struct cx_addr *addr,
                   char ret_text[CX_ADDR_TEXT_BYTES])
{
	char *at = ret_text;
	unsigned from;
	unsigned gap;

	if (!addr->v6) {
		write_v4(addr->byte, ret_text);
		return;
	}
	gap = find_gap(addr, &from);
	for (unsigned i = 0; i < GROUPS; i++) {
		if (i == from) {
			*at++ = ':';
			*at++ = ':';
			i += gap - 1;
			continue;
		}
		if (i > 0 && i != from + gap)
			*at++ = ':';
		at = write_number(group_of(addr, i), 16, at);
	}
	*at = '\0';
}
