/*
 * gateway-arrival.c - which request a connection is by the address that it
 * went to; and the resolver's side of it, over a socket and as a stream.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/count.h"
#include "base/fd.h"
#include "gateway/arrival.h"
#include "gateway/oracle.h"

enum { PORT = 5432 };

static const char ASK[] =
	"\x12\x34\1\0\0\1\0\0\0\0\0\0\2db\7example\0\0\1\0\1";

static struct cx_policy policy_of(struct cx_entry entry[1])
{
	entry[0] = (struct cx_entry){ .port = PORT };
	cx_host_read("example", strlen("example"), &entry[0].host);
	return (struct cx_policy){ .tier = CX_TIER_ALLOWLIST, .entry = entry,
	                           .entries = 1 };
}

static struct sockaddr_storage at(const char *text)
{
	struct sockaddr_storage ret = { 0 };
	struct sockaddr_in *ipv4 = (void *)&ret;
	struct sockaddr_in6 *ipv6 = (void *)&ret;

	ipv4->sin_port = htons(PORT);
	ret.ss_family = AF_INET;
	if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1)
		return ret;
	ret.ss_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, text, &ipv6->sin6_addr), 1);
	return ret;
}

static void test_target(void **state)
{
	static const char *const literals[] = {
		"93.184.216.34", "2606:2800::1", "198.18.0.9", "127.0.0.1",
	};
	static struct cx_alias_book book;
	struct cx_target target;
	struct sockaddr_storage address;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(literals); i++) {
		address = at(literals[i]);
		assert_int_equal(cx_arrival_name(&address, &book, &target), 0);
		assert_int_equal(target.host.kind, CX_HOST_LITERAL);
		assert_string_equal(target.host.name, literals[i]);
		assert_int_equal(target.port, PORT);
	}
	address = (struct sockaddr_storage){ .ss_family = AF_UNIX };
	assert_int_equal(cx_arrival_name(&address, &book, &target), -1);
}

/* The last four bytes of the reply as the address that it gives. */
static void leads_back(struct cx_alias_book *book, const uint8_t *reply,
                       size_t size)
{
	struct sockaddr_storage address = at("0.0.0.0");
	struct cx_target target;

	memcpy(&((struct sockaddr_in *)&address)->sin_addr, reply + size - 4,
	       4);
	assert_int_equal(cx_arrival_name(&address, book, &target), 0);
	assert_int_equal(target.host.kind, CX_HOST_NAME);
	assert_string_equal(target.host.name, "db.example");
	assert_int_equal(target.port, PORT);
}

static void test_datagrams(void **state)
{
	static struct cx_alias_book book;
	struct cx_entry entry[1];
	struct cx_policy policy = policy_of(entry);
	const struct cx_oracle_asker asker = { .policy = &policy,
		                               .book = &book };
	struct sockaddr_storage own = at("127.0.0.1");
	socklen_t length = sizeof(struct sockaddr_in);
	uint8_t reply[CX_QUESTION_REPLY_MAX_BYTES];
	CX_AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CX_AUTO_FD int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ssize_t n;

	(void)state;
	((struct sockaddr_in *)&own)->sin_port = 0;
	assert_int_equal(bind(fd, (void *)&own, length), 0);
	assert_int_equal(getsockname(fd, (void *)&own, &length), 0);
	assert_int_equal(connect(from, (void *)&own, length), 0);
	assert_false(cx_oracle_datagrams(fd, &asker));
	assert_int_equal(send(from, "", 0, 0), 0);
	assert_int_equal(send(from, ASK, sizeof ASK - 1, 0), sizeof ASK - 1);
	assert_false(cx_oracle_datagrams(fd, &asker));
	n = recv(from, reply, sizeof reply, MSG_DONTWAIT);
	assert_true(n > 0);
	leads_back(&book, reply, (size_t)n);
	assert_int_equal(recv(from, reply, sizeof reply, MSG_DONTWAIT), -1);
}

static void test_stream(void **state)
{
	static struct cx_alias_book book;
	struct cx_entry entry[1];
	struct cx_policy policy = policy_of(entry);
	const struct cx_oracle_asker asker = { .policy = &policy,
		                               .book = &book };
	uint8_t data[2 * sizeof ASK] = { 0, sizeof ASK - 1 };
	uint8_t reply[CX_ORACLE_REPLY_MAX_BYTES];
	size_t size, whole = 2 + sizeof ASK - 1;

	(void)state;
	memcpy(data + 2, ASK, sizeof ASK - 1);
	for (size_t n = 0; n < whole; n++)
		assert_int_equal(cx_oracle_stream(&asker, data, n,
		                                  reply, &size), 0);
	assert_int_equal(cx_oracle_stream(&asker, data, whole + 5,
	                                  reply, &size), whole);
	assert_int_equal((size_t)reply[0] << 8 | reply[1], size - 2);
	leads_back(&book, reply, size);
	/* too long, and what has no answer: it ends there */
	data[0] = 0xff;
	assert_true(cx_oracle_stream(&asker, data, whole, reply,
	                             &size) > 0);
	assert_int_equal(size, 0);
	data[0] = data[1] = 0;
	assert_int_equal(cx_oracle_stream(&asker, data, whole, reply,
	                                  &size), 2);
	assert_int_equal(size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
