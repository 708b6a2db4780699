/*
 * range.h - which addresses nobody may be led to.
 *
 * All that IANA's two special-purpose address registries (share/iana) don't
 * mark as globally reachable, and beyond them: all of 192.0.0.0/24 and
 * 192.88.99.0/24, multicast, everything outside 2000::/3, all of 2001::/23,
 * addresses that hold another (mapped, compatible, translated, NAT64, 6to4,
 * Teredo, ISATAP), and the metadata services of clouds that stand on public
 * addresses. A table, in range.c.
 */
#ifndef CX_MODEL_RANGE_H
#define CX_MODEL_RANGE_H

#include "model/addr.h"

/* The name of the protected range that addr lies in; NULL: it is public.
 * An address under one of the operator's NAT64 prefixes (RFC 6052) is judged
 * by the IPv4 address in it. */
const char *cx_range_find(const struct cx_addr *addr,
                          const struct cx_prefix *nat64, size_t nat64_count);

/* Ranges that no exception may lift: loopback, link-local, multicast, the
 * unspecified address and what holds one of them. */
bool cx_range_is_fixed(const struct cx_prefix *prefix);

/* A NAT64 prefix has 32, 40, 48, 56, 64 or 96 bits (RFC 6052, 2.2), and bits
 * 64 to 71 are zero. */
bool cx_range_is_nat64(const struct cx_prefix *prefix);

#endif
