/*
 * portal.h - the sockets by which a network namespace without a way out
 * reaches a gateway that stands outside.
 *
 * Inside a fresh namespace whose only interface is loopback every address is
 * made local (`local 0.0.0.0/0 dev lo` and the same for ::/0), and a chain of
 * nf_tables brings each TCP connection that isn't meant for loopback to one
 * port, so that what the program meant to reach arrives at our listeners. The
 * gateway, which holds them, asks which address that was. Nothing runs inside
 * for it, and no interface or route leads out.
 */
#ifndef CX_SYS_PORTAL_H
#define CX_SYS_PORTAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cx_portal_role {
	CX_PORTAL_PROXY,   /* 127.0.0.1:3128: programs that know of proxies */
	CX_PORTAL_ANY,     /* 127.0.0.1 and [::1] :3129, where the chain
	                    * redirects to: SO_ORIGINAL_DST names the target */
	CX_PORTAL_PORT,    /* where there is no nf_tables: 0.0.0.0 and [::] at
	                    * one admitted port; getsockname names the target */
	CX_PORTAL_DNS_UDP, /* 127.0.0.53:53 */
	CX_PORTAL_DNS_TCP,
};

enum {
	CX_PORTAL_PROXY_PORT = 3128,
	CX_PORTAL_ANY_PORT = 3129,
	CX_PORTAL_DNS_PORT = 53,
	CX_PORTAL_BACKLOG = 512,
	CX_PORTAL_PORTS_MAX = 8,   /* admitted ones that the fallback serves */
	CX_PORTAL_SOCKETS_MAX = 5 + 2 * CX_PORTAL_PORTS_MAX,
};

/* What a program inside asks for names, and resolv.conf there says. */
#define CX_PORTAL_DNS_ADDRESS "127.0.0.53"

struct cx_portal_socket {
	enum cx_portal_role role;
	uint16_t port;
	int fd;            /* non-blocking, close-on-exec */
};

struct cx_portal {
	struct cx_portal_socket socket[CX_PORTAL_SOCKETS_MAX];
	size_t count;
	bool redirected;   /* by nf_tables: any port, and the program may bind
	                    * every port of its own */
};

/* The proxy's listener alone, as every gateway tier has it; loopback must be
 * up. 0 or -1, errno; what was made stands in *ret either way. */
int cx_portal_open(struct cx_portal *ret);

/* Adds the routes, the chain, its listeners and the resolver's sockets. To be
 * called in the namespace with CAP_NET_ADMIN and CAP_NET_BIND_SERVICE over it.
 * Without nf_tables ports[count] (the first CX_PORTAL_PORTS_MAX; the portal's
 * own are left out) get listeners of their own. A kernel without IPv6 has none
 * of its parts. 0 or -1, errno, and *ret_step names what failed. */
int cx_portal_widen(struct cx_portal *portal, const uint16_t *ports,
                    size_t count, const char **ret_step);

/* Its part for a kernel without nf_tables, by itself: routes, a listener for
 * each port, resolver. 0 or -1, errno. */
int cx_portal_fall_back(struct cx_portal *portal, const uint16_t *ports,
                        size_t count);

/* Closes what is still held. */
void cx_portal_done(struct cx_portal *portal);

#endif
