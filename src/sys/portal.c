/*
 * portal.c - see portal.h.
 */
#include "sys/portal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "sys/redirect.h"

static struct sockaddr_in ipv4_at(const char *text, uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
	                          .sin_port = htons(port) };

	inet_pton(AF_INET, text, &at.sin_addr);
	return at;
}

static struct sockaddr_in6 ipv6_at(struct in6_addr address, uint16_t port)
{
	return (struct sockaddr_in6){ .sin6_family = AF_INET6,
	                              .sin6_addr = address,
	                              .sin6_port = htons(port) };
}

static int keep(struct cx_portal *portal, enum cx_portal_role role,
                uint16_t port, int *fd)
{
	if (portal->count == CX_PORTAL_SOCKETS_MAX) {
		errno = ENOBUFS;
		return -1;
	}
	portal->socket[portal->count++] = (struct cx_portal_socket){
		.role = role, .port = port, .fd = cx_fd_take(fd),
	};
	return 0;
}

static int add(struct cx_portal *portal, enum cx_portal_role role, int type,
               const void *address, socklen_t size)
{
	const struct sockaddr_in *at = address; /* the port's place is one */
	const int on = 1;
	CX_AUTO_FD int fd = socket(at->sin_family,
	                           type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* one for each family, whatever the namespace's default is */
	if (fd < 0 || (at->sin_family == AF_INET6 &&
	               setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on,
	                          sizeof on) < 0))
		return -1;
	if (bind(fd, address, size) < 0 ||
	    (type == SOCK_STREAM && listen(fd, CX_PORTAL_BACKLOG) < 0))
		return -1;
	return keep(portal, role, ntohs(at->sin_port), &fd);
}

static int add_ipv4(struct cx_portal *portal, enum cx_portal_role role,
                    int type, const char *text, uint16_t port)
{
	const struct sockaddr_in at = ipv4_at(text, port);

	return add(portal, role, type, &at, sizeof at);
}

/* A kernel without IPv6 can't be reached by it either. */
static int add_ipv6(struct cx_portal *portal, enum cx_portal_role role,
                    struct in6_addr address, uint16_t port)
{
	const struct sockaddr_in6 at = ipv6_at(address, port);

	if (add(portal, role, SOCK_STREAM, &at, sizeof at) == 0)
		return 0;
	return errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL ? 0 : -1;
}

int cx_portal_open(struct cx_portal *ret)
{
	*ret = (struct cx_portal){ .count = 0 };
	return add_ipv4(ret, CX_PORTAL_PROXY, SOCK_STREAM, "127.0.0.1",
	                CX_PORTAL_PROXY_PORT);
}

/* What a listener for its own port keeps from the program. */
static int add_port(struct cx_portal *portal, uint16_t port)
{
	if (port == CX_PORTAL_PROXY_PORT || port == CX_PORTAL_DNS_PORT)
		return 0;
	if (add_ipv4(portal, CX_PORTAL_PORT, SOCK_STREAM, "0.0.0.0",
	             port) < 0)
		return -1;
	return add_ipv6(portal, CX_PORTAL_PORT, in6addr_any, port);
}

static int add_ports(struct cx_portal *portal, const uint16_t *ports,
                     size_t count)
{
	for (size_t i = 0; i < count && i < CX_PORTAL_PORTS_MAX; i++)
		if (add_port(portal, ports[i]) < 0)
			return -1;
	return 0;
}

static int add_any(struct cx_portal *portal)
{
	if (add_ipv4(portal, CX_PORTAL_ANY, SOCK_STREAM, "127.0.0.1",
	             CX_PORTAL_ANY_PORT) < 0)
		return -1;
	return add_ipv6(portal, CX_PORTAL_ANY, in6addr_loopback,
	                CX_PORTAL_ANY_PORT);
}

static int add_resolver(struct cx_portal *portal)
{
	if (add_ipv4(portal, CX_PORTAL_DNS_UDP, SOCK_DGRAM,
	             CX_PORTAL_DNS_ADDRESS, CX_PORTAL_DNS_PORT) < 0)
		return -1;
	return add_ipv4(portal, CX_PORTAL_DNS_TCP, SOCK_STREAM,
	                CX_PORTAL_DNS_ADDRESS, CX_PORTAL_DNS_PORT);
}

static int add_rest(struct cx_portal *portal, const uint16_t *ports,
                    size_t count, const char **ret_step)
{
	*ret_step = "listeners";
	if (portal->redirected ? add_any(portal) < 0
	                       : add_ports(portal, ports, count) < 0)
		return -1;
	*ret_step = "resolver";
	return add_resolver(portal);
}

int cx_portal_widen(struct cx_portal *portal, const uint16_t *ports,
                    size_t count, const char **ret_step)
{
	*ret_step = "local routes";
	if (cx_redirect_routes() < 0)
		return -1;
	portal->redirected = cx_redirect_tcp() == 0;
	return add_rest(portal, ports, count, ret_step);
}

int cx_portal_fall_back(struct cx_portal *portal, const uint16_t *ports,
                        size_t count)
{
	const char *step;

	portal->redirected = false;
	if (cx_redirect_routes() < 0)
		return -1;
	return add_rest(portal, ports, count, &step);
}

void cx_portal_done(struct cx_portal *portal)
{
	for (size_t i = 0; i < portal->count; i++)
		cx_fd_close_at(&portal->socket[i].fd);
	portal->count = 0;
}
