/*
 * escape.c - the ways out of a sandbox's network that a command may try: one
 * table of attempts, run inside while the gateway is up, stopped or gone.
 *
 *   escape [FACT=VALUE]...
 *
 * Facts are what the outside has laid out: ipv4, ipv6 (addresses of the
 * outside that answer at port), port, abstract (a socket's name there), path
 * (of a socket there), name (a host that the policy doesn't admit), listed
 * (one that it does), gateway (up, stopped, killed or none: says "begun" and
 * waits until it is so).
 *
 * Whoever is reached there says WORD; that word, or anything else that only
 * the outside could have said, is what mustn't be got. What can be sent
 * without an answer is for the outside to count. The attempts run at once,
 * each in a process of its own; prints "closed NAME" or "OPEN NAME: what" for
 * each, then the sums.
 *
 *   escape lay PORT ABSTRACT PATH
 *
 * is the outside: it answers at PORT (TCP and UDP, IPv4 and IPv6), on the
 * abstract socket and the one at PATH, says "laid", and one line "reached BY"
 * for whatever comes, until its standard input ends.
 *
 * Static, without a library beyond libc, so that it runs over any image.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "attempt.h"

#define WORD "cx-outside"

enum {
	PROXY_PORT = 3128, ANY_PORT = 3129, DNS_PORT = 53,
	WAIT_MS = 1500, ATTEMPT_S = 20,
};

static uint16_t port(void)
{
	return (uint16_t)strtoul(fact("port"), NULL, 10);
}

/* ---- reaching ----------------------------------------------------------- */

struct target {
	struct sockaddr_storage at;
	socklen_t size;
};

static struct target target(const char *text, uint16_t to_port)
{
	struct target ret = { .size = 0 };
	struct sockaddr_in *ipv4 = (void *)&ret.at;
	struct sockaddr_in6 *ipv6 = (void *)&ret.at;

	if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons(to_port);
		ret.size = sizeof *ipv4;
	} else if (inet_pton(AF_INET6, text, &ipv6->sin6_addr) == 1) {
		ipv6->sin6_family = AF_INET6;
		ipv6->sin6_port = htons(to_port);
		ret.size = sizeof *ipv6;
	}
	return ret;
}

static void hurry(int fd)
{
	/* who is stopped answers nothing, however long he is asked */
	int ms = strcmp(fact("gateway"), "stopped") == 0 ? WAIT_MS / 5
	                                                 : WAIT_MS;
	const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

/* A connection to it, or -1. */
static int reach(const struct target *to, int protocol)
{
	int fd = to->size ? socket(to->at.ss_family, SOCK_STREAM, protocol)
	         : -1;

	if (fd < 0)
		return -1;
	hurry(fd);
	if (connect(fd, (const void *)&to->at, to->size) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Says what (if anything), reads until the end, a while or size. */
static size_t converse(int fd, const char *what, char *text, size_t size)
{
	size_t have = 0;
	ssize_t n;

	if (what && send(fd, what, strlen(what), MSG_NOSIGNAL) < 0)
		return 0;
	while (have < size - 1 && (n = recv(fd, text + have, size - 1 - have,
	                                    0)) > 0) {
		have += (size_t)n;
		if (memmem(text, have, WORD, strlen(WORD)))
			break;
	}
	text[have] = '\0';
	return have;
}

/* The outside's word mustn't come over this connection; closes it. */
static void must_not_answer(int fd, const char *name, const char *what)
{
	char text[4096];

	if (fd < 0)
		return;
	if (converse(fd, what, text, sizeof text) && strstr(text, WORD))
		got("%s answered", name);
	close(fd);
}

static void must_not_reach(const char *address, uint16_t to_port,
                           int protocol)
{
	struct target to = target(address, to_port);

	must_not_answer(reach(&to, protocol), address,
	                "GET / HTTP/1.0\r\n\r\n");
}

/* What the proxy is asked mustn't be done. */
static void must_refuse(const char *request)
{
	struct target to = target("127.0.0.1", PROXY_PORT);
	char text[4096];
	int fd = reach(&to, 0);

	if (fd < 0)
		return;
	/* nothing more comes: the connection isn't kept for another one */
	if (send(fd, request, strlen(request), MSG_NOSIGNAL) > 0 &&
	    shutdown(fd, SHUT_WR) == 0 &&
	    converse(fd, NULL, text, sizeof text) &&
	    (strstr(text, WORD) || strncmp(text, "HTTP/1.1 200", 12) == 0))
		got("%.60s: %.40s", request, text);
	close(fd);
}

__attribute__((format(printf, 1, 2)))
static void must_refuse_f(const char *format, ...)
{
	char request[1024];
	va_list arg;

	va_start(arg, format);
	vsnprintf(request, sizeof request, format, arg);
	va_end(arg);
	must_refuse(request);
}

/* ---- plain sockets ------------------------------------------------------ */

static void literal_ipv4(void)
{
	must_not_reach(fact("ipv4"), port(), 0);
	must_not_reach(fact("ipv4"), 80, 0);
	must_not_reach(fact("ipv4"), 443, 0);
}

static void literal_ipv6(void)
{
	must_not_reach(fact("ipv6"), port(), 0);
	must_not_reach(fact("ipv6"), 443, 0);
}

static void mapped(void)
{
	char text[64];

	snprintf(text, sizeof text, "::ffff:%s", fact("ipv4"));
	must_not_reach(text, port(), 0);
	snprintf(text, sizeof text, "64:ff9b::%s", fact("ipv4"));
	must_not_reach(text, port(), 0);
}

static void outer_loopback(void)
{
	static const char *const at[] = {
		"127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "0.0.0.0",
		"::", "::ffff:127.0.0.1",
	};

	for (size_t i = 0; i < COUNT(at); i++)
		must_not_reach(at[i], port(), 0);
}

static void metadata(void)
{
	must_not_reach("169.254.169.254", 80, 0);
	must_not_reach("fd00:ec2::254", 80, 0);
	must_not_reach("192.0.0.192", 80, 0);
}

static void private_ranges(void)
{
	must_not_reach("10.0.0.1", port(), 0);
	must_not_reach("192.168.0.1", port(), 0);
	must_not_reach("172.17.0.1", port(), 0);
	must_not_reach("fe80::1", port(), 0);
	must_not_reach("224.0.0.1", port(), 0);
	must_not_reach("255.255.255.255", port(), 0);
}

/* Addresses of the pool that stand for no name. */
static void pool(void)
{
	must_not_reach("198.18.77.77", 80, 0);
	must_not_reach("198.19.255.255", port(), 0);
	must_not_reach("2001:2::7:7", 443, 0);
}

/* The listeners that the chain redirects to, by themselves. */
static void listeners(void)
{
	must_not_reach("127.0.0.1", ANY_PORT, 0);
	must_not_reach("::1", ANY_PORT, 0);
	must_not_reach("127.0.0.1", PROXY_PORT, 0);
}

static void multipath(void)
{
	must_not_reach(fact("ipv4"), port(), IPPROTO_MPTCP);
	must_not_reach(fact("ipv6"), port(), IPPROTO_MPTCP);
}

/* Data before the handshake is answered; the outside would count it. */
static void fast_open(void)
{
	struct target to = target(fact("ipv4"), port());
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	hurry(fd);
	if (sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&to.at,
	           to.size) < 0)
		close(fd);
	else
		must_not_answer(fd, "fast open", NULL);
}

/* Names an interface, a mark, a route of its own. */
static void steer(void)
{
	const unsigned char route[] = { IPOPT_LSRR, 7, 4, 198, 51, 100, 1, 0 };
	struct target to = target(fact("ipv4"), port());
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, mark = 1;

	hurry(fd);
	setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "eth0", 5);
	setsockopt(fd, SOL_SOCKET, SO_DONTROUTE, &one, sizeof one);
	setsockopt(fd, IPPROTO_IP, IP_OPTIONS, route, sizeof route);
	must_fail("SO_MARK", setsockopt(fd, SOL_SOCKET, SO_MARK, &mark,
	                                sizeof mark));
	must_fail("IP_TRANSPARENT", setsockopt(fd, IPPROTO_IP, IP_TRANSPARENT,
	                                       &one, sizeof one));
	must_fail("SO_NETNS_COOKIE of others", setsockopt(fd, SOL_SOCKET, 71,
	                                                  &one, sizeof one));
	if (connect(fd, (void *)&to.at, to.size) == 0)
		must_not_answer(fd, "steered", NULL);
}

/* From an address or port that isn't ours. */
static void borrowed(void)
{
	static const struct {
		const char *text;
		uint16_t port;
	} from[] = {
		{ "127.0.0.53", 0 }, { "127.0.0.1", 0 },
	};
	struct target to = target(fact("ipv4"), port());

	for (size_t i = 0; i < COUNT(from); i++) {
		struct target own = target(from[i].text, from[i].port);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		hurry(fd);
		if (bind(fd, (void *)&own.at, own.size) == 0 &&
		    connect(fd, (void *)&to.at, to.size) == 0)
			must_not_answer(fd, from[i].text, NULL);
	}
	{
		struct target own = target(fact("ipv4"), 0);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		hurry(fd);
		if (bind(fd, (void *)&own.at, own.size) == 0 &&
		    connect(fd, (void *)&to.at, to.size) == 0)
			must_not_answer(fd, "its own address", NULL);
	}
}

/* ---- datagrams ---------------------------------------------------------- */

static void must_not_echo(const char *address, uint16_t to_port,
                          const void *what, size_t size)
{
	struct target to = target(address, to_port);
	char text[1024];
	int fd = to.size ? socket(to.at.ss_family, SOCK_DGRAM, 0) : -1;
	ssize_t n;

	if (fd < 0)
		return;
	hurry(fd);
	if (connect(fd, (void *)&to.at, to.size) == 0 &&
	    send(fd, what, size, 0) >= 0 &&
	    (n = recv(fd, text, sizeof text, 0)) > 0)
		got("%s:%u answered %zd bytes", address, to_port, n);
	close(fd);
}

static void datagrams(void)
{
	must_not_echo(fact("ipv4"), port(), "x", 1);
	must_not_echo(fact("ipv6"), port(), "x", 1);
	must_not_echo(fact("ipv4"), 443, "x", 1);
}

static size_t question(unsigned char *to, const char *name, unsigned type)
{
	size_t size = 12;

	memcpy(to, "\x12\x34\1\0\0\1\0\0\0\0\0\0", 12);
	while (*name) {
		size_t label = strcspn(name, ".");

		to[size++] = (unsigned char)label;
		memcpy(to + size, name, label);
		size += label;
		name += label + (name[label] == '.');
	}
	memcpy(to + size, (unsigned char[]){ 0, 0, (unsigned char)type, 0, 1 },
	       5);
	return size + 5;
}

/* Other resolvers, and the outside's own on its loopback. */
static void other_resolvers(void)
{
	static const char *const at[] = {
		"8.8.8.8", "1.1.1.1", "127.0.0.1", "127.0.0.54", "::1",
		"2001:4860:4860::8888",
	};
	unsigned char ask[512];
	size_t size = question(ask, fact("listed"), 1);

	for (size_t i = 0; i < COUNT(at); i++)
		must_not_echo(at[i], DNS_PORT, ask, size);
}

/* The answer to a question, or 0: none came. */
static size_t resolve(const char *name, unsigned type, unsigned char *text,
                      size_t size)
{
	struct target to = target("127.0.0.53", DNS_PORT);
	unsigned char ask[512];
	size_t length = question(ask, name, type);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	ssize_t n = -1;

	hurry(fd);
	if (connect(fd, (void *)&to.at, to.size) == 0 &&
	    send(fd, ask, length, 0) >= 0)
		n = recv(fd, text, size, 0);
	close(fd);
	return n > 0 ? (size_t)n : 0;
}

/* What isn't admitted has no address, of whatever kind it is asked. */
static void unlisted_name(void)
{
	static const unsigned types[] = { 1, 28, 16, 15, 33, 255, 65 };
	unsigned char text[1024];

	for (size_t i = 0; i < COUNT(types); i++)
		if (resolve(fact("name"), types[i], text, sizeof text) &&
		    ((text[3] & 15) != 3 || text[7] != 0))
			got("type %u has an answer", types[i]);
}

/* Text can't be carried out in a name and back in a record. */
static void tunnel_by_name(void)
{
	unsigned char text[1024];
	char name[300];

	snprintf(name, sizeof name, "c2VjcmV0LXNlY3JldC1zZWNyZXQ.%s",
	         fact("listed"));
	if (resolve(name, 16, text, sizeof text) && text[7] != 0)
		got("a text record");
	snprintf(name, sizeof name, "c2VjcmV0LXNlY3JldC1zZWNyZXQ.%s",
	         fact("name"));
	if (resolve(name, 1, text, sizeof text) && (text[3] & 15) != 3)
		got("a name below an unlisted one");
}

/* ---- the proxy ---------------------------------------------------------- */

static void proxy_literal(void)
{
	must_refuse_f("CONNECT %s:%u HTTP/1.1\r\nHost: %s\r\n\r\n",
	              fact("ipv4"), port(), fact("ipv4"));
	must_refuse_f("CONNECT %s:443 HTTP/1.1\r\nHost: %s\r\n\r\n",
	              fact("ipv4"), fact("ipv4"));
	must_refuse_f("CONNECT [%s]:443 HTTP/1.1\r\nHost: [%s]\r\n\r\n",
	              fact("ipv6"), fact("ipv6"));
}

static void proxy_loopback(void)
{
	static const char *const host[] = {
		"127.0.0.1", "localhost", "0", "0x7f000001", "2130706433",
		"0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
		"[::]", "localhost.", "x.localhost",
	};

	for (size_t i = 0; i < COUNT(host); i++) {
		must_refuse_f("CONNECT %s:%u HTTP/1.1\r\nHost: a\r\n\r\n",
		              host[i], port());
		must_refuse_f("CONNECT %s:443 HTTP/1.1\r\nHost: a\r\n\r\n",
		              host[i]);
	}
}

static void proxy_port(void)
{
	must_refuse_f("CONNECT %s:%u HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"), port());
	must_refuse_f("CONNECT %s:65979 HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"));
	must_refuse_f("CONNECT %s:+443 HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"));
}

static void proxy_unlisted(void)
{
	must_refuse_f("CONNECT %s:443 HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("name"));
	must_refuse_f("CONNECT x%s:443 HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"));
	must_refuse_f("CONNECT %s.%s:443 HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"), fact("name"));
}

/* One name in the line, another in the field; and smuggled requests. */
static void proxy_confusion(void)
{
	must_refuse_f("GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n",
	              fact("name"), fact("listed"));
	must_refuse_f("GET http://%s@%s/ HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"), fact("name"));
	must_refuse_f("GET / HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n",
	              fact("listed"), fact("name"));
	must_refuse_f("GET https://%s/ HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("listed"));
	must_refuse_f("GET http://%s/ HTTP/1.1\r\nHost: a\r\n"
	              "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
	              "0\r\n\r\nGET http://%s/ HTTP/1.1\r\nHost: a\r\n\r\n",
	              fact("name"), fact("name"));
}

static void proxy_credential(void)
{
	must_refuse_f("CONNECT %s:443 HTTP/1.1\r\nHost: a\r\n"
	              "Proxy-Authorization: Bearer cxt-somebody-else\r\n\r\n",
	              fact("name"));
	must_refuse("CX register\r\n\r\n");
	must_refuse("GET /usage HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}

/* ---- other families ----------------------------------------------------- */

static void echo_requests(void)
{
	must_fail("ICMP", socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
	must_fail("ICMPv6", socket(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6));
}

static void raw(void)
{
	must_fail("raw", socket(AF_INET, SOCK_RAW, IPPROTO_RAW));
	must_fail("raw ICMP", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
	must_fail("raw TCP", socket(AF_INET, SOCK_RAW, IPPROTO_TCP));
	must_fail("raw IPv6", socket(AF_INET6, SOCK_RAW, IPPROTO_UDP));
}

static void frames(void)
{
	must_fail("packet", socket(AF_PACKET, SOCK_RAW, htons(3)));
	must_fail("packet", socket(AF_PACKET, SOCK_DGRAM, htons(3)));
	must_fail("XDP", socket(44, SOCK_RAW, 0));
}

static void machine_sockets(void)
{
	struct sockaddr_vm host = { .svm_family = AF_VSOCK, .svm_cid = 2,
	                            .svm_port = 1024 };
	int fd = socket(AF_VSOCK, SOCK_STREAM, 0);

	must_fail("vsock", fd);
	if (fd >= 0)
		must_fail("connect", connect(fd, (void *)&host, sizeof host));
}

static void rare_families(void)
{
	static const int family[] = {
		AF_AX25, AF_IPX, AF_X25, AF_KEY, AF_RDS, AF_PPPOX, AF_CAN,
		AF_TIPC, AF_BLUETOOTH, AF_ALG, AF_NFC, AF_KCM, AF_QIPCRTR,
		AF_SMC,
	};

	for (size_t i = 0; i < COUNT(family); i++) {
		must_fail("family", socket(family[i], SOCK_STREAM, 0));
		must_fail("family", socket(family[i], SOCK_DGRAM, 0));
	}
}

static void other_transports(void)
{
	struct target to = target(fact("ipv4"), port());
	static const int protocol[] = { IPPROTO_SCTP, IPPROTO_DCCP };

	for (size_t i = 0; i < COUNT(protocol); i++) {
		int fd = socket(AF_INET, SOCK_STREAM, protocol[i]);

		if (fd < 0)
			continue;
		hurry(fd);
		must_fail("connect", connect(fd, (void *)&to.at, to.size));
	}
	must_fail("raw GRE", socket(AF_INET, SOCK_RAW, IPPROTO_GRE));
	must_fail("UDP-Lite", socket(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE));
}

static void outer_unix(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t size = strlen(fact("abstract"));
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (size < sizeof at.sun_path)
		memcpy(at.sun_path + 1, fact("abstract"), size);
	must_fail("abstract socket",
	          connect(fd, (void *)&at,
	                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
	                              1 + size)));
	at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "%s", fact("path"));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	must_fail("socket by path", connect(fd, (void *)&at, sizeof at));
}

/* ---- the namespace itself ----------------------------------------------- */

static void change_network(void)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
	} ask = {
		.head = { .nlmsg_len = sizeof ask, .nlmsg_type = RTM_NEWROUTE,
		          .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE },
		.route = { .rtm_family = AF_INET },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct ifreq request = { .ifr_name = "lo" };
	int plain = socket(AF_INET, SOCK_DGRAM, 0);

	must_fail("rtnetlink", fd);
	if (fd >= 0)
		send(fd, &ask, sizeof ask, 0);
	must_fail("interface down", ioctl(plain, SIOCSIFFLAGS, &request));
	request.ifr_addr.sa_family = AF_INET;
	must_fail("address", ioctl(plain, SIOCSIFADDR, &request));
	must_fail("route", ioctl(plain, SIOCADDRT, &request));
	must_fail("tunnel", ioctl(plain, SIOCDEVPRIVATE + 1, &request));
}

static void flush_chain(void)
{
	must_fail("nf_tables", socket(AF_NETLINK, SOCK_RAW,
	                              NETLINK_NETFILTER));
	must_fail("xtables", setsockopt(socket(AF_INET, SOCK_DGRAM, 0),
	                                IPPROTO_IP, 64, "", 0));
}

static void interfaces(void)
{
	struct if_nameindex *list = NULL;
	char line[256];
	FILE *file = fopen("/proc/net/dev", "re");

	if (list)
		if_freenameindex(list);
	while (file && fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (strcmp(line + strspn(line, " "), "lo") != 0 &&
		    !strstr(line, "tunl") && !strstr(line, "sit") &&
		    !strstr(line, "gre") && !strstr(line, "erspan") &&
		    !strstr(line, "vti") && !strstr(line, "ip6tnl"))
			got("interface %s", line);
	}
	if (file)
		fclose(file);
}

static void other_namespaces(void)
{
	static const char *const path[] = {
		"/proc/1/ns/net", "/proc/self/ns/net", "/proc/2/ns/net",
	};

	must_fail("unshare", unshare(CLONE_NEWNET));
	must_fail("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNET));
	for (size_t i = 0; i < COUNT(path); i++) {
		int fd = open(path[i], O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			must_fail(path[i], setns(fd, CLONE_NEWNET));
	}
}

/* Sockets that somebody else holds. */
static void taken_sockets(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char link[64], to[256];
		ssize_t n;

		snprintf(link, sizeof link, "/proc/self/fd/%.20s",
		         entry->d_name);
		n = readlink(link, to, sizeof to - 1);
		if (n > 0 && (to[n] = '\0', strncmp(to, "socket:", 7) == 0))
			got("descriptor %s is a %s", entry->d_name, to);
	}
	if (dir)
		closedir(dir);
	must_fail("pidfd_open", syscall(SYS_pidfd_getfd, 0, 0, 0));
	must_fail("attach", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	must_fail("rings", syscall(SYS_io_uring_setup, 8, found));
}

/* A port that the gateway's listeners have can't be had as well. */
static void shared_port(void)
{
	static const struct {
		const char *at;
		uint16_t port;
	} own[] = {
		{ "127.0.0.1", PROXY_PORT }, { "127.0.0.1", ANY_PORT },
		{ "::1", ANY_PORT },
	};
	bool gone = strcmp(fact("gateway"), "killed") == 0 ||
	            strcmp(fact("gateway"), "none") == 0;

	for (size_t i = 0; i < COUNT(own) && !gone; i++) {
		struct target to = target(own[i].at, own[i].port);
		int fd = socket(to.at.ss_family, SOCK_STREAM, 0), one = 1;

		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
		if (bind(fd, (void *)&to.at, to.size) == 0)
			must_fail("listen", listen(fd, 1));
	}
}

static void settings(void)
{
	static const char *const path[] = {
		"/proc/sys/net/ipv4/ip_forward",
		"/proc/sys/net/ipv4/ping_group_range",
		"/proc/sys/net/ipv4/conf/all/route_localnet",
		"/proc/sys/net/ipv6/conf/all/forwarding",
		"/proc/sys/net/core/bpf_jit_enable",
		"/etc/resolv.conf", "/etc/hosts",
	};

	for (size_t i = 0; i < COUNT(path); i++)
		must_fail(path[i], open(path[i], O_WRONLY | O_CLOEXEC));
}

static const struct attempt table[] = {
	{ "IPv4 literal", literal_ipv4 },
	{ "IPv6 literal", literal_ipv6 },
	{ "mapped and translated literal", mapped },
	{ "the outside's loopback", outer_loopback },
	{ "cloud metadata", metadata },
	{ "private and link-local ranges", private_ranges },
	{ "addresses of the pool that nobody was given", pool },
	{ "the listeners by themselves", listeners },
	{ "multipath TCP", multipath },
	{ "fast open", fast_open },
	{ "interface, mark and route of its own", steer },
	{ "borrowed source addresses", borrowed },
	{ "datagrams", datagrams },
	{ "other resolvers", other_resolvers },
	{ "unlisted name", unlisted_name },
	{ "tunnel by names", tunnel_by_name },
	{ "proxy: literal", proxy_literal },
	{ "proxy: loopback in every spelling", proxy_loopback },
	{ "proxy: another port", proxy_port },
	{ "proxy: unlisted name", proxy_unlisted },
	{ "proxy: two names", proxy_confusion },
	{ "proxy: another's credential", proxy_credential },
	{ "echo requests", echo_requests },
	{ "raw sockets", raw },
	{ "frames", frames },
	{ "vsock", machine_sockets },
	{ "rare families", rare_families },
	{ "other transports", other_transports },
	{ "the outside's UNIX sockets", outer_unix },
	{ "changing routes and interfaces", change_network },
	{ "flushing the chain", flush_chain },
	{ "interfaces", interfaces },
	{ "other namespaces", other_namespaces },
	{ "sockets of others", taken_sockets },
	{ "the listeners' ports", shared_port },
	{ "settings of the network", settings },
};

/* ---- both sides --------------------------------------------------------- */

/* Starts an attempt; its pipe's end, from which what it got is read. */
static int begin(size_t i)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (fork() == 0) {
		close(ends[0]);
		alarm(ATTEMPT_S);
		signal(SIGPIPE, SIG_IGN);
		table[i].attempt();
		if (write(ends[1], found, strlen(found) + 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

/* What becomes of a request to the proxy. */
static const char *look(void)
{
	struct target to = target("127.0.0.1", PROXY_PORT);
	char text[256];
	int fd = reach(&to, 0);
	size_t n;

	if (fd < 0)
		return "killed";
	n = converse(fd, "GET http://127.0.0.1/ HTTP/1.0\r\n\r\n", text,
	             sizeof text);
	close(fd);
	return n ? "up" : "stopped";
}

/* Until the gateway is as it is said to be. */
static bool await(const char *state)
{
	printf("begun\n");
	fflush(stdout);
	for (int i = 0; i < 200; i++) {
		if (strcmp(look(), state) == 0)
			return true;
		usleep(50000);
	}
	printf("OPEN everything: the gateway isn't %s\n", state);
	return false;
}

static int attempt_all(void)
{
	int fd[COUNT(table)];

	for (size_t i = 0; i < COUNT(table); i++)
		fd[i] = begin(i);
	for (size_t i = 0; i < COUNT(table); i++) {
		ssize_t n = read(fd[i], found, sizeof found - 1);

		if (n <= 0)
			snprintf(found, sizeof found, "it didn't end");
		else
			found[n] = '\0';
		tell(table[i].name);
		close(fd[i]);
	}
	while (wait(NULL) > 0)
		;
	return add_up(COUNT(table));
}

enum { SERVICES = 6 };

static int serve_at(const struct target *at, int type)
{
	int fd = socket(at->at.ss_family, type, 0), one = 1;

	if (at->at.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	if (bind(fd, (const void *)&at->at, at->size) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 64) < 0))
		return -1;
	return fd;
}

static void answer(int fd, const char *by, bool stream)
{
	char text[64];
	struct target from = { .size = sizeof from.at };
	int to;

	printf("reached %s\n", by);
	fflush(stdout);
	if (!stream) {
		if (recvfrom(fd, text, sizeof text, 0, (void *)&from.at,
		             &from.size) >= 0)
			sendto(fd, WORD, strlen(WORD), 0, (void *)&from.at,
			       from.size);
		return;
	}
	to = accept(fd, NULL, NULL);
	if (to < 0)
		return;
	send(to, WORD, strlen(WORD), MSG_NOSIGNAL);
	close(to);
}

static int lay(uint16_t at_port, const char *abstract, const char *path)
{
	static const char *const by[SERVICES] = {
		"TCP", "TCP over IPv6", "UDP", "UDP over IPv6", "abstract",
		"path",
	};
	struct target ipv4 = target("0.0.0.0", at_port);
	struct target ipv6 = target("::", at_port);
	struct pollfd wait[SERVICES + 1] = {
		{ .fd = serve_at(&ipv4, SOCK_STREAM) },
		{ .fd = serve_at(&ipv6, SOCK_STREAM) },
		{ .fd = serve_at(&ipv4, SOCK_DGRAM) },
		{ .fd = serve_at(&ipv6, SOCK_DGRAM) },
		{ .fd = serve_unix(abstract, true) },
		{ .fd = serve_unix(path, false) },
		{ .fd = 0 },
	};

	for (size_t i = 0; i <= SERVICES; i++) {
		wait[i].events = POLLIN;
		if (wait[i].fd < 0)
			return perror("escape: lay"), 1;
	}
	printf("laid\n");
	fflush(stdout);
	while (poll(wait, SERVICES + 1, -1) >= 0 && !wait[SERVICES].revents)
		for (size_t i = 0; i < SERVICES; i++)
			if (wait[i].revents)
				answer(wait[i].fd, by[i], i < 2 || i > 3);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "lay") == 0)
		return lay((uint16_t)strtoul(argv[2], NULL, 10), argv[3],
		           argv[4]);
	facts = argv + 1;
	if (is_outside())
		return 2;
	if (strcmp(fact("gateway"), "none") != 0 && !await(fact("gateway")))
		return 2;
	return attempt_all();
}
