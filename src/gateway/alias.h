/*
 * alias.h - addresses that stand for names, for a job's programs that know
 * nothing of proxies.
 *
 * A name that the policy may admit is given an address out of a pool that
 * nobody on the Internet has (198.18.0.0/15 and 2001:2::/48), and remembered
 * for this job alone. The connection that comes for the address is judged by
 * that name. An address that was given to nobody has no name.
 */
#ifndef CX_GATEWAY_ALIAS_H
#define CX_GATEWAY_ALIAS_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	/* the one used longest ago is forgotten first, and its address isn't
	 * given again soon */
	CX_ALIAS_NAMES_MAX = 256,
	CX_ALIAS_NAME_BYTES = 254, /* with the final NUL */
};

struct cx_alias {
	uint32_t used;         /* when, by the book's own count; 0: free */
	uint32_t hash;
	uint16_t generation;   /* how often the place was given away */
	char name[CX_ALIAS_NAME_BYTES]; /* lower case, no final dot */
};

/* One job's. All zero is empty: so it begins, and so it is made again when
 * the job's place goes to another (memset). */
struct cx_alias_book {
	uint32_t clock;
	struct cx_alias alias[CX_ALIAS_NAMES_MAX];
};

/* The two addresses that stand for a name; the same each time it is asked. */
void cx_alias_give(struct cx_alias_book *book, const char *name,
                   struct in_addr *ret_ipv4, struct in6_addr *ret_ipv6);

/* The name behind an address (the port is not looked at); NULL: it was given
 * to none, and is judged as itself. Stands until the next cx_alias_give. */
const char *cx_alias_find(struct cx_alias_book *book,
                          const struct sockaddr_storage *address);

#endif
