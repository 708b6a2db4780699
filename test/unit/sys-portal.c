/*
 * sys-portal.c - a namespace of its own with the portal in it: what the
 * kernel then lists, where connections arrive, what a program may bind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/count.h"
#include "base/fd.h"
#include "gateway/original.h"
#include "sys/netns.h"
#include "sys/portal.h"
#include "sys/redirect.h"

enum { WAIT_MS = 10000, TEXT_BYTES = 4096 };

static const char LISTED[] =
	"table inet cx {\n"
	"\tchain out {\n"
	"\t\ttype nat hook output priority -100; policy accept;\n"
	"\t\tip daddr 127.0.0.0/8 accept\n"
	"\t\tip6 daddr ::1 accept\n"
	"\t\tmeta l4proto tcp redirect to :3129\n"
	"\t}\n"
	"}\n";

/* A network namespace with loopback up; of a user namespace of our own where
 * we aren't root. Each test runs in a process of its own. */
static void enter(void)
{
	int with_user = geteuid() == 0 ? 0 : CLONE_NEWUSER;

	assert_return_code(unshare(with_user | CLONE_NEWNET), errno);
	assert_return_code(cx_netns_loopback(), errno);
}

static void in_child(void (*test)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		/* what fails here ends here, and isn't the runner again */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		enter();
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void widen(struct cx_portal *portal, const uint16_t *ports,
                  size_t count)
{
	const char *step = "";

	assert_return_code(cx_portal_open(portal), errno);
	if (cx_portal_widen(portal, ports, count, &step) < 0)
		fail_msg("%s: %s", step, strerror(errno));
}

static int listener(const struct cx_portal *portal, enum cx_portal_role role,
                    uint16_t port, int family)
{
	for (size_t i = 0; i < portal->count; i++) {
		const struct cx_portal_socket *at = &portal->socket[i];
		int domain;
		socklen_t size = sizeof domain;

		assert_return_code(getsockopt(at->fd, SOL_SOCKET, SO_DOMAIN,
		                              &domain, &size), errno);
		if (at->role == role && at->port == port && domain == family)
			return at->fd;
	}
	fail_msg("no listener for port %u", port);
	return -1;
}

static struct sockaddr_storage parse(const char *text, uint16_t port,
                                     socklen_t *ret_size)
{
	struct sockaddr_storage at = { 0 };
	struct sockaddr_in *ipv4 = (void *)&at;
	struct sockaddr_in6 *ipv6 = (void *)&at;

	if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons(port);
		*ret_size = sizeof *ipv4;
		return at;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &ipv6->sin6_addr), 1);
	ipv6->sin6_family = AF_INET6;
	ipv6->sin6_port = htons(port);
	*ret_size = sizeof *ipv6;
	return at;
}

static int reach(const char *text, uint16_t port)
{
	socklen_t size;
	struct sockaddr_storage at = parse(text, port, &size);
	int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_return_code(fd, errno);
	assert_return_code(connect(fd, (void *)&at, size), errno);
	return fd;
}

static int take(int listening_fd)
{
	struct pollfd wait = { .fd = listening_fd, .events = POLLIN };
	int fd;

	assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
	fd = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC);
	assert_return_code(fd, errno);
	return fd;
}

/* A connection to text:port arrives at listening_fd, with its target. */
static void arrives(int listening_fd, bool redirected, const char *text,
                    uint16_t port)
{
	socklen_t size;
	struct sockaddr_storage wanted = parse(text, port, &size), found;
	CX_AUTO_FD int from = reach(text, port);
	CX_AUTO_FD int to = take(listening_fd);

	assert_true(from >= 0);
	assert_return_code(cx_original_read(to, redirected, &found), errno);
	((struct sockaddr_in *)&wanted)->sin_port =
		((struct sockaddr_in *)&found)->sin_port == htons(port)
		? htons(port) : 0;
	if (wanted.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&found)->sin6_flowinfo = 0;
	assert_memory_equal(&found, &wanted, size);
}

static const struct {
	const char *address;
	uint16_t port;
} targets[] = {
	{ "93.184.216.34", 5432 }, { "10.1.2.3", 22 }, { "1.1.1.1", 443 },
	{ "100.64.2.3", 65535 }, { "198.18.0.1", 1 }, { "169.254.169.254", 80 },
	{ "2606:2800::1", 443 }, { "2001:2::5", 22 }, { "fd00::1", 8080 },
};

static void each_arrives(void)
{
	struct cx_portal portal;

	widen(&portal, NULL, 0);
	assert_true(portal.redirected);
	for (size_t i = 0; i < CX_COUNT(targets); i++) {
		int family = strchr(targets[i].address, ':') ? AF_INET6
		             : AF_INET;

		arrives(listener(&portal, CX_PORTAL_ANY, CX_PORTAL_ANY_PORT,
		                 family), true, targets[i].address,
		        targets[i].port);
	}
	cx_portal_done(&portal);
}

static void test_arrival(void **state)
{
	(void)state;
	in_child(each_arrives);
}

static void serves_itself(void)
{
	static const struct {
		const char *at, *to;
		uint16_t port;
	} own[] = {
		{ "127.0.0.1", "127.0.0.1", 443 }, { "0.0.0.0", "127.0.0.1", 80 },
		{ "::1", "::1", 443 }, { "127.0.0.9", "127.0.0.9", 53 },
	};
	struct cx_portal portal;

	widen(&portal, NULL, 0);
	for (size_t i = 0; i < CX_COUNT(own); i++) {
		socklen_t size;
		struct sockaddr_storage at = parse(own[i].at, own[i].port,
		                                   &size);
		CX_AUTO_FD int fd = socket(at.ss_family,
		                           SOCK_STREAM | SOCK_CLOEXEC, 0);
		CX_AUTO_FD int from = -1, to = -1;

		assert_return_code(bind(fd, (void *)&at, size), errno);
		assert_return_code(listen(fd, 1), errno);
		from = reach(own[i].to, own[i].port);
		to = take(fd);
	}
	cx_portal_done(&portal);
}

static void test_own_ports(void **state)
{
	(void)state;
	in_child(serves_itself);
}

/* What nft prints of the namespace that we are in. */
static void list(char text[TEXT_BYTES])
{
	int ends[2], status;
	pid_t pid;
	ssize_t n;

	assert_return_code(pipe(ends), errno);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *const argv[] = { (char[]){ "nft" }, (char[]){ "list" },
		                       (char[]){ "ruleset" }, NULL };

		dup2(ends[1], 1);
		execve("/usr/sbin/nft", argv, (char *[]){ NULL });
		_exit(127);
	}
	close(ends[1]);
	n = cx_fd_read(ends[0], text, TEXT_BYTES - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void is_listed(void)
{
	char text[TEXT_BYTES];
	struct cx_portal portal;
	bool alone = false;

	widen(&portal, NULL, 0);
	list(text);
	assert_string_equal(text, LISTED);
	/* made once: a second table of that name is refused whole */
	assert_int_equal(cx_redirect_tcp(), -1);
	assert_int_equal(errno, EEXIST);
	list(text);
	assert_string_equal(text, LISTED);
	assert_return_code(cx_netns_look(&alone), errno);
	assert_true(alone);
	cx_portal_done(&portal);
}

static void test_listed(void **state)
{
	(void)state;
	/* nft gets capabilities as root alone, of whatever namespace */
	if (geteuid() != 0 || access("/usr/sbin/nft", X_OK) < 0)
		skip();
	in_child(is_listed);
}

static void falls_back(void)
{
	static const uint16_t ports[] = { 80, 443, 3128 };
	struct cx_portal portal;

	assert_return_code(cx_portal_open(&portal), errno);
	assert_return_code(cx_portal_fall_back(&portal, ports,
	                                       CX_COUNT(ports)), errno);
	assert_false(portal.redirected);
	arrives(listener(&portal, CX_PORTAL_PORT, 80, AF_INET), false,
	        "93.184.216.34", 80);
	arrives(listener(&portal, CX_PORTAL_PORT, 443, AF_INET6), false,
	        "2606:2800::1", 443);
	cx_portal_done(&portal);
}

static void test_fallback(void **state)
{
	(void)state;
	in_child(falls_back);
}

/* A connection that nothing redirected has no target but the listener. */
static void is_not_translated(void)
{
	struct sockaddr_storage found;
	const struct sockaddr_in *at = (void *)&found;
	struct cx_portal portal;
	CX_AUTO_FD int from = -1, to = -1;

	widen(&portal, NULL, 0);
	from = reach("127.0.0.1", CX_PORTAL_ANY_PORT);
	to = take(listener(&portal, CX_PORTAL_ANY, CX_PORTAL_ANY_PORT,
	                   AF_INET));
	if (cx_original_read(to, true, &found) == 0) {
		assert_int_equal(ntohl(at->sin_addr.s_addr), INADDR_LOOPBACK);
		assert_int_equal(ntohs(at->sin_port), CX_PORTAL_ANY_PORT);
	}
	cx_portal_done(&portal);
}

static void test_direct(void **state)
{
	(void)state;
	in_child(is_not_translated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrival),
		cmocka_unit_test(test_own_ports),
		cmocka_unit_test(test_listed),
		cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_direct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
