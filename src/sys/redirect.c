/*
 * redirect.c - see redirect.h.
 */
#include "sys/redirect.h"

#include <errno.h>
#include <limits.h>
#include <linux/if_addr.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "redirect.inc"

enum { LOOPBACK_INDEX = 1, ANSWER_BYTES = 4096 };

static int netlink(int family)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);
}

/* What a kernel without IPv6 says, or one where it is turned off. */
static bool is_absent(int fault)
{
	return fault == EAFNOSUPPORT || fault == EOPNOTSUPP ||
	       fault == EACCES || fault == ENODEV;
}

/* The answers of one datagram, until that to last; those to first_ipv6 and
 * later may be that there is no IPv6. 0 or -1, errno of the first fault. */
static int judge(struct nlmsghdr *message, unsigned size, unsigned last,
                 unsigned first_ipv6, bool *ret_over)
{
	for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
		const struct nlmsgerr *fault = NLMSG_DATA(message);

		if (message->nlmsg_type != NLMSG_ERROR)
			continue;
		if (fault->error && (message->nlmsg_seq < first_ipv6 ||
		                     !is_absent(-fault->error))) {
			errno = -fault->error;
			return -1;
		}
		if (message->nlmsg_seq == last)
			*ret_over = true;
	}
	return 0;
}

/* The kernel has done all that was sent to fd by the time it is asked. */
static int hear(int fd, unsigned last, unsigned first_ipv6)
{
	char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	bool over = false;

	while (!over) {
		ssize_t n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || judge((void *)answer, (unsigned)n, last,
		                    first_ipv6, &over) < 0)
			return -1;
	}
	return 0;
}

struct route {
	struct nlmsghdr head;
	struct rtmsg body;
	struct rtattr to;
	unsigned index;
};

struct address {
	struct nlmsghdr head;
	struct ifaddrmsg body;
	struct rtattr local; /* the address itself comes next */
};

enum { FLAGS = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE };

/* local 0.0.0.0/0 or ::/0, in the table of local addresses. */
static void make_route(struct route *ret, unsigned char family,
                       unsigned sequence)
{
	*ret = (struct route){
		.head = { .nlmsg_len = sizeof *ret, .nlmsg_type = RTM_NEWROUTE,
		          .nlmsg_flags = FLAGS, .nlmsg_seq = sequence },
		.body = { .rtm_family = family, .rtm_table = RT_TABLE_LOCAL,
		          .rtm_protocol = RTPROT_BOOT,
		          .rtm_scope = RT_SCOPE_HOST, .rtm_type = RTN_LOCAL },
		.to = { .rta_len = RTA_LENGTH(sizeof ret->index),
		        .rta_type = RTA_OIF },
		.index = LOOPBACK_INDEX,
	};
}

/* Resolvers look for addresses of a kind only where an interface has one that
 * isn't 127.0.0.1 or ::1 (AI_ADDRCONFIG). */
static void make_address(struct address *ret, unsigned char family,
                         unsigned char size, unsigned sequence)
{
	ret->head = (struct nlmsghdr){
		.nlmsg_len = (unsigned)sizeof *ret + size,
		.nlmsg_type = RTM_NEWADDR, .nlmsg_flags = FLAGS,
		.nlmsg_seq = sequence,
	};
	ret->body = (struct ifaddrmsg){
		.ifa_family = family,
		.ifa_prefixlen = (unsigned char)(size * 8),
		.ifa_flags = IFA_F_NODAD, .ifa_scope = RT_SCOPE_HOST,
		.ifa_index = LOOPBACK_INDEX,
	};
	ret->local = (struct rtattr){
		.rta_len = (unsigned short)RTA_LENGTH(size),
		.rta_type = IFA_LOCAL,
	};
}

enum { IPV4_BYTES = 4, IPV6_BYTES = 16, FIRST_IPV6 = 3, LAST = 4 };

int cx_redirect_routes(void)
{
	struct {
		struct route route;
		struct address address;
		unsigned char ipv4[IPV4_BYTES];
		struct route route6;
		struct address address6;
		unsigned char ipv6[IPV6_BYTES];
	} ask = {
		.ipv4 = { 127, 0, 0, 53 },
		/* of those for benchmarks, as the aliases are */
		.ipv6 = { 0x20, 1, 0, 2, 0, 0, 0, 1, [15] = 1 },
	};
	CX_AUTO_FD int fd = netlink(NETLINK_ROUTE);

	make_route(&ask.route, AF_INET, 1);
	make_address(&ask.address, AF_INET, sizeof ask.ipv4, 2);
	make_route(&ask.route6, AF_INET6, FIRST_IPV6);
	make_address(&ask.address6, AF_INET6, sizeof ask.ipv6, LAST);
	if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0)
		return -1;
	return hear(fd, LAST, FIRST_IPV6);
}

int cx_redirect_tcp(void)
{
	/* by a call that nothing else here makes: where it is refused the
	 * way without the chain is taken, and can be tried */
	unsigned char bytes[sizeof batch]; /* writev's are not const */
	const struct iovec all = { .iov_base = bytes, .iov_len = sizeof bytes };
	CX_AUTO_FD int fd = netlink(NETLINK_NETFILTER);

	memcpy(bytes, batch, sizeof batch);
	if (fd < 0 || writev(fd, &all, 1) < 0)
		return -1;
	return hear(fd, LAST_SEQUENCE, UINT_MAX);
}
