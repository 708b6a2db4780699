/*
 * alias.c - see alias.h. A place of the book and how often it was given away
 * make an address, so that it is found again without a search, and an old one
 * is known to be old.
 */
#include "gateway/alias.h"

#include <string.h>

#include "base/promise.h"

enum {
	POOL = 0xc6120000,      /* 198.18.0.0/15 */
	POOL_BITS = 17,
	GENERATIONS = (1 << POOL_BITS) / CX_ALIAS_NAMES_MAX,
	IPV6_TAIL = 12,         /* where the number stands in 2001:2:: */
};

static const uint8_t POOL_IPV6[IPV6_TAIL] = { 0x20, 0x01, 0x00, 0x02 };

/* FNV-1a: only a shortcut before the names are compared. */
static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h;
}

/* The place of name, else that used longest ago. */
static struct cx_alias *look(struct cx_alias_book *book, const char *name,
                             uint32_t h)
{
	struct cx_alias *oldest = &book->alias[0];

	for (size_t i = 0; i < CX_ALIAS_NAMES_MAX; i++) {
		struct cx_alias *at = &book->alias[i];

		if (at->used && at->hash == h && strcmp(at->name, name) == 0)
			return at;
		if (at->used < oldest->used)
			oldest = at;
	}
	return oldest;
}

/* The count starts again before it wraps; then the order is lost once. */
static void touch(struct cx_alias_book *book, struct cx_alias *alias)
{
	if (book->clock == UINT32_MAX) {
		for (size_t i = 0; i < CX_ALIAS_NAMES_MAX; i++)
			book->alias[i].used = book->alias[i].used != 0;
		book->clock = 1;
	}
	alias->used = ++book->clock;
}

void cx_alias_give(struct cx_alias_book *book, const char *name,
                   struct in_addr *ret_ipv4, struct in6_addr *ret_ipv6)
{
	uint32_t h = hash(name), offset, wire;
	struct cx_alias *alias = look(book, name, h);

	if (!alias->used || alias->hash != h ||
	    strcmp(alias->name, name) != 0) {
		alias->generation = (uint16_t)((alias->generation + 1) %
		                               GENERATIONS);
		alias->hash = h;
		snprintf(alias->name, sizeof alias->name, "%s", name);
	}
	touch(book, alias);
	offset = (uint32_t)(alias - book->alias) +
	         (uint32_t)alias->generation * CX_ALIAS_NAMES_MAX;
	wire = htonl(POOL + offset);
	ret_ipv4->s_addr = wire;
	wire = htonl(offset);
	memcpy(ret_ipv6->s6_addr, POOL_IPV6, sizeof POOL_IPV6);
	memcpy(ret_ipv6->s6_addr + IPV6_TAIL, &wire, sizeof wire);
}

static const char *look_up(struct cx_alias_book *book, uint32_t offset)
{
	struct cx_alias *alias = &book->alias[offset % CX_ALIAS_NAMES_MAX];

	if (!CX_PROMISE(address_was_given, alias->used && alias->generation ==
	                offset / CX_ALIAS_NAMES_MAX))
		return NULL;
	touch(book, alias);
	return alias->name;
}

const char *cx_alias_find(struct cx_alias_book *book,
                          const struct sockaddr_storage *address)
{
	const struct sockaddr_in *ipv4 = (const void *)address;
	const struct sockaddr_in6 *ipv6 = (const void *)address;
	uint32_t number;

	if (address->ss_family == AF_INET) {
		number = ntohl(ipv4->sin_addr.s_addr);
		return number >> POOL_BITS == (uint32_t)POOL >> POOL_BITS
		       ? look_up(book, number - (uint32_t)POOL) : NULL;
	}
	if (address->ss_family != AF_INET6 ||
	    memcmp(ipv6->sin6_addr.s6_addr, POOL_IPV6, sizeof POOL_IPV6) != 0)
		return NULL;
	memcpy(&number, ipv6->sin6_addr.s6_addr + IPV6_TAIL, sizeof number);
	number = ntohl(number);
	return number >> POOL_BITS == 0 ? look_up(book, number) : NULL;
}
