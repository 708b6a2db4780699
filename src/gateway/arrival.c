/* arrival.c - see arrival.h. */
#include "gateway/arrival.h"

#include <string.h>

#include "gateway/original.h"

static bool read_literal(const struct sockaddr_storage *address,
                         struct cx_host *ret)
{
	const struct sockaddr_in *ipv4 = (const void *)address;
	const struct sockaddr_in6 *ipv6 = (const void *)address;

	*ret = (struct cx_host){
		.kind = CX_HOST_LITERAL,
		.addr.v6 = address->ss_family == AF_INET6,
	};
	if (ret->addr.v6)
		memcpy(ret->addr.byte, &ipv6->sin6_addr,
		       sizeof ipv6->sin6_addr);
	else if (address->ss_family == AF_INET)
		memcpy(ret->addr.byte, &ipv4->sin_addr,
		       sizeof ipv4->sin_addr);
	else
		return false;
	cx_addr_write(&ret->addr, ret->name);
	return true;
}

int cx_arrival_name(const struct sockaddr_storage *address,
                    struct cx_alias_book *book, struct cx_target *ret)
{
	const struct sockaddr_in *at = (const void *)address; /* or _in6 */
	const char *name = cx_alias_find(book, address);

	ret->port = ntohs(at->sin_port);
	if (name)
		return cx_host_read(name, strlen(name), &ret->host) ==
		       CX_HOST_NAME ? 0 : -1;
	return read_literal(address, &ret->host) ? 0 : -1;
}

int cx_arrival_read(int fd, bool redirected, struct cx_alias_book *book,
                    struct cx_target *ret)
{
	struct sockaddr_storage address;

	if (cx_original_read(fd, redirected, &address) < 0)
		return -1;
	return cx_arrival_name(&address, book, ret);
}
