/*
 * model-head.c - heads, hosts, chunks and what goes to the origin; each head
 * whole, and byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "model/chunk.h"
#include "model/credential.h"
#include "model/rewrite.h"

#define LINE "GET http://a.example/ HTTP/1.1\r\n"
#define GET LINE "Host: a.example\r\n"

static const struct {
	const char *head;
	int status; /* 0: well formed, -1: not whole */
} row[] = {
	{ "CONNECT a.example:443 HTTP/1.1\r\n\r\n", 0 },
	{ "\r\nCONNECT a.example:443 HTTP/1.0\r\n\r\n", 0 },
	{ "\r\n\r\nCONNECT a.example:443 HTTP/1.0\r\n\r\n", 400 },
	{ "CONNECT a.example:443 HTTP/1.1\r\n", -1 },
	{ "CONNECT a.example:443 HTTP/1.1\n\n", 400 },
	{ "CONNECT a.example:443 HTTP/1.1\r\r\n\r\n", 400 },
	{ "CONNECT  a.example:443 HTTP/1.1\r\n\r\n", 400 },
	{ " CONNECT a.example:443 HTTP/1.1\r\n\r\n", 400 },
	{ "CONNECT a.example:443\r\n\r\n", 400 },
	{ "CONNECT a.example:443 HTTP/1.1 \r\n\r\n", 400 },
	{ "CONNECT a.example:443 HTTP/3.0\r\n\r\n", 505 },
	{ "CONNECT a.example:443 http/1.1\r\n\r\n", 400 },
	{ "TRACE http://a.example/ HTTP/1.1\r\n\r\n", 501 },
	{ "PRI * HTTP/2.0\r\n\r\n", 505 },
	{ "get http://a.example/ HTTP/1.1\r\n\r\n", 501 },
	{ "GET ftp://a.example/ HTTP/1.1\r\n\r\n", 400 },
	{ "GET http://a.example/#x HTTP/1.1\r\n\r\n", 400 },
	{ "GET a.example:80 HTTP/1.1\r\n\r\n", 400 },
	{ LINE "Host: a\r\n\r\n", 0 },
	{ LINE "\r\n", 400 },
	{ "GET http://a.example/ HTTP/1.0\r\n\r\n", 0 },
	{ LINE "Host: a\r\nhost: b\r\n\r\n", 400 },
	{ LINE "Host : a\r\n\r\n", 400 },
	{ GET "A: 1\r\n 2\r\n\r\n", 400 },
	{ GET "A\r\n\r\n", 400 },
	{ GET "A: b\tc\r\n\r\n", 0 },
	{ GET "A: \x7f\r\n\r\n", 400 },
	{ GET "A: \xc3\xa9\r\n\r\n", 0 },
	{ GET "Content-Length: 5\r\n\r\n", 0 },
	{ GET "Content-Length: 5, 5\r\n\r\n", 400 },
	{ GET "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400 },
	{ GET "Content-Length: 99999999999999999999\r\n\r\n", 400 },
	{ GET "Content-Length: 0x5\r\n\r\n", 400 },
	{ GET "Transfer-Encoding: Chunked\r\n\r\n", 0 },
	{ GET "Transfer-Encoding: gzip, chunked\r\n\r\n", 400 },
	{ GET "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n", 400 },
	{ "GET http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"
	  "\r\n", 400 },
	{ GET "Expect: 100-continue\r\n\r\n", 0 },
	{ GET "Expect: the-worst\r\n\r\n", 417 },
	{ GET "Via: 1.1 other, 1.1 CX-gateway\r\n\r\n", 508 },
	{ GET "Proxy-Authorization: Bearer a\r\nproxy-authorization: Bearer a"
	  "\r\n\r\n", 400 },
	{ "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\n", 400 },
};

static int status_of(const struct cx_head *head)
{
	if (head->state == CX_HEAD_MORE)
		return -1;
	return head->state == CX_HEAD_BAD ? head->status : 0;
}

static void test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		size_t size = strlen(row[i].head);
		struct cx_head head;

		cx_head_begin(&head);
		cx_head_read(&head, row[i].head, size);
		if (status_of(&head) != row[i].status)
			fail_msg("%s: %d", row[i].head, status_of(&head));
		cx_head_begin(&head);
		for (size_t n = 1; n <= size; n++)
			cx_head_read(&head, row[i].head, n);
		assert_int_equal(status_of(&head), row[i].status);
	}
}

/* As a client asks the origin that it takes us for. */
static void test_direct(void **state)
{
	static const struct {
		const char *head, *authority, *path;
		int status;
	} one[] = {
		{ "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "a.example",
		  "/", 0 },
		{ "GET /x?y HTTP/1.0\r\nhost:  a.example:80\r\n\r\n",
		  "a.example:80", "/x?y", 0 },
		{ "GET http://b.example/z HTTP/1.1\r\nHost: a.example\r\n"
		  "\r\n", "b.example", "/z", 0 },
		{ "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "a", "", 0 },
		{ "GET * HTTP/1.1\r\nHost: a\r\n\r\n", "", "", 400 },
		{ "GET / HTTP/1.1\r\n\r\n", "", "", 400 },
		{ "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", "", "", 400 },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "", "",
		  400 },
		{ "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", "", "", 501 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(one); i++) {
		struct cx_head head;

		cx_head_begin_direct(&head);
		cx_head_read(&head, one[i].head, strlen(one[i].head));
		assert_int_equal(status_of(&head), one[i].status);
		if (one[i].status)
			continue;
		assert_true(cx_head_is(one[i].head, head.authority,
		                       one[i].authority));
		assert_true(cx_head_is(one[i].head, head.path, one[i].path));
	}
	{
		struct cx_head head;

		cx_head_begin(&head);
		cx_head_read(&head, one[0].head, strlen(one[0].head));
		assert_int_equal(status_of(&head), 400);
	}
}

/* A head of exactly the most bytes is whole, one of a byte more isn't, and
 * is refused before it ends. */
static void test_brim(char *big)
{
	static const char end[] = "\r\nx: y\r\n\r\n";
	const size_t most = CX_HEAD_MAX_BYTES, size = sizeof end - 1;
	struct cx_head head;
	size_t at;

	for (int more = 0; more < 2; more++) {
		memset(big, 'a', most + 1);
		memcpy(big, GET, strlen(GET));
		for (at = strlen(GET); at + 16000 < most; at += 8000) {
			memcpy(big + at, "x: ", 3);
			memcpy(big + at + 7998, "\r\n", 2);
		}
		memcpy(big + at, "x: ", 3);
		memcpy(big + at + 7900, "\r\ny: ", 5);
		memcpy(big + most + (size_t)more - size, end, size);
		cx_head_begin(&head);
		assert_int_equal(cx_head_read(&head, big, most - 1),
		                 CX_HEAD_MORE);
		assert_int_equal(cx_head_read(&head, big, most),
		                 more ? CX_HEAD_BAD : CX_HEAD_DONE);
		assert_int_equal(more ? head.status : head.size,
		                 more ? 431 : most);
	}
}

static void test_limits(void **state)
{
	static char big[2 * CX_HEAD_MAX_BYTES];
	struct cx_head head;
	size_t at;

	(void)state;
	memset(big, 'a', sizeof big);
	cx_head_begin(&head);
	assert_int_equal(cx_head_read(&head, big, 9000), CX_HEAD_BAD);
	assert_int_equal(head.status, 414);

	memcpy(big, GET "X: ", strlen(GET "X: "));
	cx_head_begin(&head);
	assert_int_equal(cx_head_read(&head, big, 9000), CX_HEAD_BAD);
	assert_int_equal(head.status, 431);

	at = strlen(GET);
	for (int i = 0; i < 101; i++, at += 6)
		memcpy(big + at, "a: b\r\n", 6);
	cx_head_begin(&head);
	assert_int_equal(cx_head_read(&head, big, at), CX_HEAD_BAD);
	assert_int_equal(head.status, 431);
	test_brim(big);

	for (at = strlen(GET); at < sizeof big - 8000; at += 8000) {
		memset(big + at, 'a', 8000);
		memcpy(big + at, "x: ", 3);
		memcpy(big + at + 7998, "\r\n", 2);
	}
	cx_head_begin(&head);
	assert_int_equal(cx_head_read(&head, big, at), CX_HEAD_BAD);
	assert_int_equal(head.status, 431);
}

static void test_credentials(void **state)
{
	static const struct { const char *value, *token; } one[] = {
		{ "Bearer abc", "abc" }, { "bearer  abc", "abc" },
		{ "Basic am9iOmFiYw==", "abc" }, { "basic YWJjOg==", "abc" },
		{ "Basic", NULL }, { "Basic !!!", NULL }, { "Digest x", NULL },
		{ "Basic Og==", NULL }, { "Bearer", NULL },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(one); i++) {
		char token[CX_CREDENTIAL_TOKEN_BYTES];
		char text[200];
		struct cx_head head;
		bool is;

		snprintf(text, sizeof text, GET "Proxy-Authorization: %s\r\n"
		         "\r\n", one[i].value);
		cx_head_begin(&head);
		assert_int_equal(cx_head_read(&head, text, strlen(text)),
		                 CX_HEAD_DONE);
		is = cx_credential_read(&head, text, token);
		assert_int_equal(is, one[i].token != NULL);
		if (is)
			assert_string_equal(token, one[i].token);
	}
}

static void test_hosts(void **state)
{
	static const struct { const char *host; enum cx_host_kind kind; } one[] = {
		{ "a.example", CX_HOST_NAME }, { "A.Example.", CX_HOST_NAME },
		{ "1.2.3.4", CX_HOST_LITERAL }, { "[::1]", CX_HOST_LITERAL },
		{ "1.2.3.4.", CX_HOST_AMBIGUOUS }, { "0x7f.1", CX_HOST_AMBIGUOUS },
		{ "2130706433", CX_HOST_AMBIGUOUS }, { "0", CX_HOST_AMBIGUOUS },
		{ "a.0X", CX_HOST_AMBIGUOUS }, { "1.2.example", CX_HOST_NAME },
		{ "xn--bcher-kva.example", CX_HOST_NAME },
		{ "xn--pple-43d.example", CX_HOST_NAME },
		{ "xn--0.example", CX_HOST_BAD }, { "xn--.example", CX_HOST_BAD },
		{ "xn--a.example", CX_HOST_BAD }, { "xn---a.example", CX_HOST_BAD },
		{ "xn--zz-.example", CX_HOST_BAD },
		{ "a..b", CX_HOST_BAD }, { ".", CX_HOST_BAD }, { "", CX_HOST_BAD },
		{ "a b", CX_HOST_BAD }, { "a@b", CX_HOST_BAD }, { "::1", CX_HOST_BAD },
		{ "-a.example", CX_HOST_BAD }, { "_a.example", CX_HOST_NAME },
		{ "[1.2.3.4]", CX_HOST_BAD }, { "[::1]x", CX_HOST_BAD },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(one); i++) {
		struct cx_host host;

		if (cx_host_read(one[i].host, strlen(one[i].host), &host) !=
		    one[i].kind)
			fail_msg("%s is %d", one[i].host, host.kind);
	}
}

static void test_chunks(void **state)
{
	static const struct { const char *body; enum cx_chunk_state end; } one[] = {
		{ "3\r\nabc\r\n0\r\n\r\n", CX_CHUNK_DONE },
		{ "3;a=\"b\"\r\nabc\r\n0\r\nA: b\r\n\r\n", CX_CHUNK_DONE },
		{ "-1\r\n", CX_CHUNK_BAD }, { " 3\r\n", CX_CHUNK_BAD },
		{ "3\nabc", CX_CHUNK_BAD }, { "0x3\r\n", CX_CHUNK_BAD },
		{ "3\r\nabcd\r\n", CX_CHUNK_BAD }, { "\r\n", CX_CHUNK_BAD },
		{ "3 \r\n", CX_CHUNK_BAD }, { "3;\n\r\n", CX_CHUNK_BAD },
		{ "ffffffffffffffff\r\n", CX_CHUNK_BAD },
		{ "0\r\n A: b\r\n\r\n", CX_CHUNK_BAD },
		{ "3\r\nab", CX_CHUNK_DATA }, { "0\r\n\r", CX_CHUNK_LAST_LF },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(one); i++) {
		struct cx_chunk whole = { 0 };
		struct cx_chunk slow = { 0 };
		size_t size = strlen(one[i].body);

		cx_chunk_read(&whole, one[i].body, size);
		for (size_t n = 0; n < size; n++)
			cx_chunk_read(&slow, one[i].body + n, 1);
		if (whole.state != one[i].end || slow.state != one[i].end)
			fail_msg("%s: %d, %d", one[i].body, whole.state,
			         slow.state);
	}
}

static void test_rewriting(void **state)
{
	static const char given[] =
		"POST http://A.example:8080/x?y HTTP/1.1\r\nHost: b.example\r\n"
		"Proxy-Authorization: Bearer t\r\nX-Kept: 1\r\nX-Secret: 2\r\n"
		"Connection: x-secret, content-length\r\nContent-Length: 3\r\n"
		"\r\n";
	static const char wanted[] =
		"POST /x?y HTTP/1.1\r\nHost: a.example:8080\r\nX-Kept: 1\r\n"
		"Content-Length: 3\r\nVia: 1.1 cx-gateway\r\n\r\n";
	struct cx_target target = { .port = 8080 };
	char text[300];
	struct cx_head head;
	size_t size;

	(void)state;
	cx_head_begin(&head);
	assert_int_equal(cx_head_read(&head, given, strlen(given)),
	                 CX_HEAD_DONE);
	cx_host_read("A.example", 9, &target.host);
	size = cx_rewrite_head(&head, given, &target, false, text,
	                       sizeof text);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(text, wanted, size);
	assert_int_equal(cx_rewrite_head(&head, given, &target, false, text,
	                                 size - 1), 0);
}

static void demand_head(const char *path, const char *text, size_t size)
{
	struct cx_head head;
	enum cx_head_state wanted = strstr(path, "/ok/") ? CX_HEAD_DONE
	                                                 : CX_HEAD_BAD;

	cx_head_begin(&head);
	if (cx_head_read(&head, text, size) != wanted)
		fail_msg("%s is in state %d", path, (int)head.state);
}

static void test_corpus(void **state)
{
	(void)state;
	assert_true(corpus_walk("test/data/head/ok", ".head", demand_head) > 20);
	assert_true(corpus_walk("test/data/head/bad", ".head", demand_head) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_credentials),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_rewriting),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
