/* range.c - see range.h. */
#include "model/range.h"

#include <string.h>

#include "base/count.h"

struct range {
	uint8_t byte[16];
	uint8_t bits;
	bool fixed;     /* no exception lifts it */
	const char *name;
};

/* The first that matches gives the name. */
static const struct range range_v4[] = {
	{ { 0 }, 8, true, "this_network" },
	{ { 10 }, 8, false, "private" },
	{ { 100, 64 }, 10, false, "shared_cgnat" },
	{ { 127 }, 8, true, "loopback" },
	{ { 169, 254 }, 16, true, "link_local" },
	{ { 172, 16 }, 12, false, "private" },
	{ { 192, 0, 0, 192 }, 32, false, "cloud_metadata" },
	{ { 192, 0, 0 }, 24, false, "ietf_protocol" },
	{ { 192, 0, 2 }, 24, false, "documentation" },
	{ { 192, 88, 99 }, 24, false, "6to4_relay_anycast" },
	{ { 192, 168 }, 16, false, "private" },
	{ { 198, 18 }, 15, false, "benchmarking" },
	{ { 198, 51, 100 }, 24, false, "documentation" },
	{ { 203, 0, 113 }, 24, false, "documentation" },
	{ { 168, 63, 129, 16 }, 32, false, "cloud_metadata" },
	{ { 224 }, 4, true, "multicast" },
	{ { 255, 255, 255, 255 }, 32, true, "broadcast" },
	{ { 240 }, 4, false, "reserved" },
};

static const struct range range_v6[] = {
	{ { 0 }, 128, true, "unspecified" },
	{ { [15] = 1 }, 128, true, "loopback" },
	{ { [10] = 0xff, [11] = 0xff }, 96, true, "embedded_ipv4" },
	{ { [8] = 0xff, [9] = 0xff }, 96, true, "embedded_ipv4" },
	{ { 0 }, 96, true, "embedded_ipv4" },
	{ { 0x00, 0x64, 0xff, 0x9b }, 96, false, "nat64" },
	{ { 0x00, 0x64, 0xff, 0x9b, 0, 1 }, 48, false, "nat64_local" },
	{ { 0x01, 0x00 }, 64, false, "discard_only" },
	{ { 0x01, 0x00, [7] = 1 }, 64, false, "dummy_prefix" },
	{ { 0x20, 0x01, 0x00, 0x00 }, 32, false, "teredo" },
	{ { 0x20, 0x01, 0x00, 0x02 }, 48, false, "benchmarking" },
	{ { 0x20, 0x01, 0x00, 0x10 }, 28, false, "orchid_deprecated" },
	{ { 0x20, 0x01, 0x00, 0x20 }, 28, false, "orchidv2" },
	{ { 0x20, 0x01 }, 23, false, "ietf_protocol" },
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32, false, "documentation" },
	{ { 0x20, 0x02 }, 16, false, "6to4" },
	{ { 0x3f, 0xff }, 20, false, "documentation" },
	{ { 0x5f, 0x00 }, 16, false, "srv6_sids" },
	{ { 0xfc }, 7, false, "unique_local" },
	{ { 0xfe, 0x80 }, 10, true, "link_local" },
	{ { 0xfe, 0xc0 }, 10, false, "site_local_deprecated" },
	{ { 0xff }, 8, true, "multicast" },
};

static struct cx_prefix prefix_of(const struct range *range, bool v6)
{
	struct cx_prefix prefix = { .addr.v6 = v6, .bits = range->bits };

	memcpy(prefix.addr.byte, range->byte, sizeof range->byte);
	return prefix;
}

static const char *find_in(const struct range *range, size_t count,
                           const struct cx_addr *addr)
{
	for (size_t i = 0; i < count; i++) {
		struct cx_prefix prefix = prefix_of(&range[i], addr->v6);

		if (cx_addr_is_in(addr, &prefix))
			return range[i].name;
	}
	return NULL;
}

static const char *find_v4(const uint8_t byte[4])
{
	struct cx_addr addr = { .v6 = false };

	memcpy(addr.byte, byte, 4);
	return find_in(range_v4, CX_COUNT(range_v4), &addr);
}

bool cx_range_is_nat64(const struct cx_prefix *prefix)
{
	static const uint8_t length[] = { 32, 40, 48, 56, 64, 96 };

	return prefix->addr.v6 && prefix->addr.byte[8] == 0 &&
	       memchr(length, prefix->bits, sizeof length);
}

/* The IPv4 address behind a prefix; it steps over bits 64 to 71. */
static bool unfold(const struct cx_addr *addr, unsigned bits, uint8_t ret[4])
{
	size_t at = bits / 8;

	for (int i = 0; i < 4; i++, at++) {
		if (at == 8)
			at++;
		ret[i] = addr->byte[at];
	}
	return addr->byte[8] == 0;
}

/* An interface id of RFC 5214 that holds a protected IPv4 address. */
static bool is_isatap(const struct cx_addr *addr)
{
	const uint8_t *id = addr->byte + 8;

	return (id[0] & 0xfd) == 0 && id[1] == 0 && id[2] == 0x5e &&
	       id[3] == 0xfe && find_v4(id + 4);
}

static const char *find_v6(const struct cx_addr *addr)
{
	const char *name = find_in(range_v6, CX_COUNT(range_v6), addr);

	if (name)
		return name;
	if ((addr->byte[0] & 0xe0) != 0x20)
		return "unallocated";
	return is_isatap(addr) ? "isatap" : NULL;
}

const char *cx_range_find(const struct cx_addr *addr,
                          const struct cx_prefix *nat64, size_t nat64_count)
{
	uint8_t byte[4];

	if (!addr->v6)
		return find_v4(addr->byte);
	for (size_t i = 0; i < nat64_count; i++)
		if (cx_addr_is_in(addr, &nat64[i])) {
			if (!unfold(addr, nat64[i].bits, byte))
				return "nat64";
			return find_v4(byte) ? "nat64" : NULL;
		}
	return find_v6(addr);
}

bool cx_range_is_fixed(const struct cx_prefix *prefix)
{
	bool v6 = prefix->addr.v6;
	const struct range *range = v6 ? range_v6 : range_v4;
	size_t count = v6 ? CX_COUNT(range_v6) : CX_COUNT(range_v4);

	for (size_t i = 0; i < count; i++) {
		struct cx_prefix other = prefix_of(&range[i], v6);

		if (range[i].fixed && cx_addr_overlaps(prefix, &other))
			return true;
	}
	return false;
}
