/*
 * common.h - what the programs of this folder share: numbers and addresses
 * from words, a pattern that bytes are checked against, time, sockets that
 * don't wait.
 */
#ifndef CX_TEST_GATEWAY_COMMON_H
#define CX_TEST_GATEWAY_COMMON_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define UNUSED __attribute__((unused))

/* Byte i of any stream of ours is pattern[i % PERIOD]; there is enough of it
 * for BLOCK bytes from any place. */
enum { PERIOD = 65521, BLOCK = 1 << 18 };

UNUSED static _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
	        errno ? strerror(errno) : "wrong argument");
	exit(71);
}

UNUSED static long long number(const char *text)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (end == text || (*end && *end != ' '))
		die(text);
	return value;
}

UNUSED static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000U + (uint64_t)at.tv_nsec;
}

UNUSED static const unsigned char *pattern(uint64_t at)
{
	static unsigned char block[PERIOD + BLOCK];

	if (!block[1])
		for (uint32_t i = 0; i < sizeof(block); i++)
			block[i] = (unsigned char)(1 + (i % PERIOD) * 7 +
			                           (i % PERIOD) / 251);
	return block + at % PERIOD;
}

/* As many descriptors as we may have: how many that is. */
UNUSED static size_t widen_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_max < 65536) {
		struct rlimit more = { 65536, 65536 };

		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			return 65536;
	}
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("setrlimit");
	return (size_t)limit.rlim_cur;
}

/* "1.2.3.4:80" or "[::1]:80", numbers only. */
UNUSED static socklen_t endpoint(const char *text, struct sockaddr_storage *ret)
{
	struct sockaddr_in *four = (void *)ret;
	struct sockaddr_in6 *six = (void *)ret;
	char host[64] = "";
	const char *colon = strrchr(text, ':');
	size_t size = colon ? (size_t)(colon - text) : 0;

	errno = 0;
	memset(ret, 0, sizeof(*ret));
	if (!colon || size < 2 || size >= sizeof(host))
		die(text);
	memcpy(host, text, size);
	if (host[0] == '[') {
		host[size - 1] = '\0';
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)number(colon + 1));
		if (inet_pton(AF_INET6, host + 1, &six->sin6_addr) != 1)
			die(text);
		return sizeof(*six);
	}
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)number(colon + 1));
	if (inet_pton(AF_INET, host, &four->sin_addr) != 1)
		die(text);
	return sizeof(*four);
}

/* Closing it resets the connection. */
UNUSED static void reset_close(int fd)
{
	struct linger at_once = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

UNUSED static void watch(int epoll_fd, int fd, void *of)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.ptr = of
	};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll_ctl");
}

#endif
