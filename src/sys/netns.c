/*
 * netns.c - see netns.h. By rtnetlink: one socket brings loopback up and
 * lists links and routes.
 *
 * Where nothing fails errno isn't written, nor put back to what it was: who
 * runs this may share it with somebody who needs his own.
 */
#include "sys/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/count.h"

#include "base/fd.h"

enum { LOOPBACK_INDEX = 1, ANSWER_BYTES = 16384 };

int cx_netns_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int status;

	if (fd < 0)
		return -1;
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	status = ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
	return status;
}

int cx_netns_free_ports(int proc_fd)
{
	CX_AUTO_FD int fd = openat(proc_fd,
	                           "sys/net/ipv4/ip_unprivileged_port_start",
	                           O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : cx_fd_write(fd, "0", 1);
}

static bool link_is_alone(struct nlmsghdr *message)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);

	return link->ifi_index == LOOPBACK_INDEX || !(link->ifi_flags & IFF_UP);
}

/* Goes out by loopback, as the kernel's own "::1 dev lo" does. */
static bool route_is_loop(struct nlmsghdr *message)
{
	struct rtmsg *route = NLMSG_DATA(message);
	struct rtattr *attribute = RTM_RTA(route);
	unsigned left = (unsigned)RTM_PAYLOAD(message);

	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		int index;

		if (attribute->rta_type != RTA_OIF ||
		    RTA_PAYLOAD(attribute) < sizeof index)
			continue;
		memcpy(&index, RTA_DATA(attribute), sizeof index);
		return index == LOOPBACK_INDEX;
	}
	return false;
}

static bool route_is_local(struct nlmsghdr *message)
{
	const struct rtmsg *route = NLMSG_DATA(message);

	return (route->rtm_type != RTN_UNICAST &&
	        route->rtm_type != RTN_NAT &&
	        route->rtm_type != RTN_XRESOLVE) || route_is_loop(message);
}

/* One datagram of an answer. *ret_over is set at its end. 0, or the errno that
 * the kernel refuses with. */
static int judge(struct nlmsghdr *message, unsigned size, bool *ret_over,
                 bool *ret_alone)
{
	for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
		if (message->nlmsg_type == NLMSG_DONE) {
			*ret_over = true;
			return 0;
		}
		if (message->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *fault = NLMSG_DATA(message);

			return fault->error ? -fault->error : EPROTO;
		}
		if (message->nlmsg_type == RTM_NEWLINK &&
		    !link_is_alone(message))
			*ret_alone = false;
		if (message->nlmsg_type == RTM_NEWROUTE &&
		    !route_is_local(message))
			*ret_alone = false;
	}
	return 0;
}

/* 0; the errno that the kernel refuses with; or -1, errno. */
static int dump(int fd, unsigned short type, unsigned char family,
                bool *ret_alone)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg body; /* longer than rtgenmsg; zeros are fine */
	} ask = {
		.head = { .nlmsg_len = sizeof ask, .nlmsg_type = type,
		          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .rtm_family = family },
	};
	char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	bool over = false;

	if (send(fd, &ask, sizeof ask, 0) < 0)
		return -1;
	while (!over) {
		ssize_t n = recv(fd, answer, sizeof answer, 0);
		int refused;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		refused = judge((void *)answer, (unsigned)n, &over, ret_alone);
		if (refused)
			return refused;
	}
	return 0;
}

static bool is_without(unsigned char family, int refused)
{
	return family == AF_INET6 &&
	       (refused == EAFNOSUPPORT || refused == EOPNOTSUPP);
}

static int dump_all(int fd, bool *ret_alone)
{
	static const struct {
		unsigned short type;
		unsigned char family;
	} row[] = {
		{ RTM_GETLINK, AF_UNSPEC },
		{ RTM_GETROUTE, AF_INET },
		{ RTM_GETROUTE, AF_INET6 },
	};

	for (size_t i = 0; i < CX_COUNT(row); i++) {
		int refused = dump(fd, row[i].type, row[i].family, ret_alone);

		if (refused == 0 || is_without(row[i].family, refused))
			continue;
		if (refused > 0)
			errno = refused;
		return -1;
	}
	return 0;
}

int cx_netns_look(bool *ret_alone)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool alone = true;
	int status;

	if (fd < 0)
		return -1;
	status = dump_all(fd, &alone);
	close(fd);
	*ret_alone = status == 0 && alone;
	return status;
}
