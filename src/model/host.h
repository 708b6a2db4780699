/*
 * host.h - the host of a request, before anybody is asked for it.
 *
 * Our own grammar, stricter than any resolver's: what one of them would take
 * for an address, and isn't a canonical one, is refused, so that no name that
 * is passed on is an address to anybody.
 */
#ifndef CX_MODEL_HOST_H
#define CX_MODEL_HOST_H

#include "model/addr.h"

enum {
	CX_HOST_NAME_BYTES = 254, /* with the final NUL (RFC 1035: 253) */
	CX_HOST_LABEL_MAX = 63,
};

enum cx_host_kind {
	CX_HOST_BAD,
	CX_HOST_AMBIGUOUS, /* ends as a number, and is no canonical address */
	CX_HOST_NAME,
	CX_HOST_LITERAL,
};

struct cx_host {
	enum cx_host_kind kind;
	char name[CX_HOST_NAME_BYTES]; /* lower case, without a final dot; of
	                                  a literal its canonical text */
	struct cx_addr addr;           /* of a literal */
};

/* As it stands in an authority: an IPv6 literal in brackets. */
enum cx_host_kind cx_host_read(const char *text, size_t size,
                               struct cx_host *ret);

/* One label, or a special-use name that leads nowhere (RFC 6761, 6762, 7686,
 * 8375, 9476 and .internal): localhost, local, localdomain, onion, test,
 * invalid, internal, alt, home.arpa, and what stands under them. */
bool cx_host_is_local(const char *name);

/* 1 to 65535 in decimal digits without sign or leading zero; else 0. */
uint16_t cx_host_port(const char *text, size_t size);

#endif
