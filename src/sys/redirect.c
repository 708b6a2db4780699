/*
 * redirect.c - see redirect.h.
 */
#include "sys/redirect.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "redirect.inc"

enum { LOOPBACK_INDEX = 1, ANSWER_BYTES = 4096 };

static int netlink(int family)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);
}

/* The kernel has done what was sent by the time it is asked: the answers of
 * one datagram, until that to sequence. 0 or -1, errno of the first fault. */
static int judge(struct nlmsghdr *message, unsigned size, unsigned sequence,
                 int *ret_over)
{
	for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
		const struct nlmsgerr *fault = NLMSG_DATA(message);

		if (message->nlmsg_type != NLMSG_ERROR)
			continue;
		if (fault->error) {
			errno = -fault->error;
			return -1;
		}
		if (message->nlmsg_seq == sequence)
			*ret_over = 1;
	}
	return 0;
}

/* Reads the kernel's answers to what was sent to fd. */
static int hear(int fd, unsigned sequence)
{
	char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	int over = 0;

	while (!over) {
		ssize_t n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || judge((void *)answer, (unsigned)n, sequence,
		                    &over) < 0)
			return -1;
	}
	return 0;
}

/* local 0.0.0.0/0 or ::/0, in the table of local addresses. */
static int make_local(unsigned char family)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		struct rtattr to;
		int index;
	} ask = {
		.head = { .nlmsg_len = sizeof ask, .nlmsg_type = RTM_NEWROUTE,
		          .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
		                         NLM_F_CREATE, .nlmsg_seq = 1 },
		.route = { .rtm_family = family, .rtm_table = RT_TABLE_LOCAL,
		           .rtm_protocol = RTPROT_BOOT,
		           .rtm_scope = RT_SCOPE_HOST,
		           .rtm_type = RTN_LOCAL },
		.to = { .rta_len = RTA_LENGTH(sizeof ask.index),
		        .rta_type = RTA_OIF },
		.index = LOOPBACK_INDEX,
	};
	CX_AUTO_FD int fd = netlink(NETLINK_ROUTE);

	if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0)
		return -1;
	return hear(fd, ask.head.nlmsg_seq);
}

int cx_redirect_routes(void)
{
	if (make_local(AF_INET) < 0)
		return -1;
	/* turned off, or left out of the kernel */
	if (make_local(AF_INET6) < 0 && errno != EAFNOSUPPORT &&
	    errno != EOPNOTSUPP && errno != EACCES)
		return -1;
	return 0;
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
	return hear(fd, LAST_SEQUENCE);
}
