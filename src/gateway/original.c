/* original.c - see original.h. */
#include "gateway/original.h"

#include <netinet/in.h> /* before the kernel's, which give way to it */

#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6/ip6_tables.h>

static int read_translated(int fd, sa_family_t family,
                           struct sockaddr_storage *ret)
{
	socklen_t size = sizeof *ret;

	return family == AF_INET6
	       ? getsockopt(fd, IPPROTO_IPV6, IP6T_SO_ORIGINAL_DST, ret, &size)
	       : getsockopt(fd, IPPROTO_IP, SO_ORIGINAL_DST, ret, &size);
}

int cx_original_read(int fd, bool redirected, struct sockaddr_storage *ret)
{
	struct sockaddr_storage name = { 0 };
	socklen_t size = sizeof name;

	if (getsockname(fd, (struct sockaddr *)&name, &size) < 0)
		return -1;
	if (name.ss_family != AF_INET && name.ss_family != AF_INET6) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	if (redirected && read_translated(fd, name.ss_family, &name) < 0)
		return -1;
	*ret = name;
	return 0;
}

void cx_original_refuse(int fd)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(fd);
}
