/*
 * addr.h - IP addresses as values: read strictly, written as RFC 5952 says.
 *
 * Only canonical literals are read: four decimal octets without leading
 * zeros, or RFC 4291 text. What other parsers take beside that (octal, hex,
 * one number, zone ids) isn't an address here.
 */
#ifndef CX_MODEL_ADDR_H
#define CX_MODEL_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CX_ADDR_TEXT_BYTES = 46, /* with the final NUL */
};

struct cx_addr {
	bool v6;
	uint8_t byte[16]; /* network order; IPv4 in the first four */
};

struct cx_prefix {
	struct cx_addr addr;
	uint8_t bits;
};

bool cx_addr_read_v4(const char *text, size_t size, struct cx_addr *ret);

/* Without brackets or zone; the last 32 bits may be a dotted quad. */
bool cx_addr_read_v6(const char *text, size_t size, struct cx_addr *ret);

/* Either of them. */
bool cx_addr_read(const char *text, size_t size, struct cx_addr *ret);

/* "ADDRESS/BITS", no bit set behind them; a bare address is one of all. */
bool cx_addr_read_prefix(const char *text, size_t size,
                         struct cx_prefix *ret);

bool cx_addr_is_same(const struct cx_addr *a, const struct cx_addr *b);

/* The address lies within the prefix; never across families. */
bool cx_addr_is_in(const struct cx_addr *addr, const struct cx_prefix *prefix);

/* The prefixes have an address in common. */
bool cx_addr_overlaps(const struct cx_prefix *a, const struct cx_prefix *b);

void cx_addr_write(const struct cx_addr *addr,
                   char ret_text[CX_ADDR_TEXT_BYTES]);

#endif
