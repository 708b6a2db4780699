/*
 * gateway-question.c - questions for names and their answers, and the book of
 * aliases behind them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>

#include "base/count.h"
#include "gateway/question.h"

enum { BYTES = 2048, HEAD = 12, A = 1, AAAA = 28, OPT = 41 };

struct message {
	uint8_t at[BYTES];
	size_t size;
};

static void put(struct message *to, const void *data, size_t size)
{
	assert_true(to->size + size <= BYTES);
	memcpy(to->at + to->size, data, size);
	to->size += size;
}

static void put_name(struct message *to, const char *name)
{
	while (*name) {
		size_t size = strcspn(name, ".");

		put(to, (uint8_t[]){ (uint8_t)size }, 1);
		put(to, name, size);
		name += size + (name[size] == '.');
	}
	put(to, "", 1);
}

static struct message ask(const char *name, uint8_t type)
{
	struct message query = { .size = 0 };

	put(&query, "\x12\x34\1\0\0\1\0\0\0\0\0\0", HEAD);
	put_name(&query, name);
	put(&query, (uint8_t[]){ 0, type, 0, 1 }, 4);
	return query;
}

static bool not_evil(void *context, const char *name)
{
	(void)context;
	return strstr(name, "evil") == NULL;
}

static struct message answer(struct cx_alias_book *book,
                             const struct message *query)
{
	struct message reply;

	reply.size = cx_question_answer(book, not_evil, NULL, query->at,
	                                query->size, reply.at);
	assert_true(reply.size <= CX_QUESTION_REPLY_MAX_BYTES);
	return reply;
}

static unsigned code(const struct message *reply)
{
	assert_true(reply->size >= HEAD);
	assert_int_equal(reply->at[2] & 0x80, 0x80);
	return reply->at[3] & 0x0f;
}

/* The reply's one address, as text; "" where it has none. */
static void address(const struct message *reply, char text[INET6_ADDRSTRLEN])
{
	text[0] = '\0';
	assert_int_equal(code(reply), 0);
	if (reply->at[7] == 0)
		return;
	if (reply->at[reply->size - 5] == 4 && reply->at[reply->size - 6] == 0)
		inet_ntop(AF_INET, reply->at + reply->size - 4, text,
		          INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, reply->at + reply->size - 16, text,
		          INET6_ADDRSTRLEN);
}

static void resolve(struct cx_alias_book *book, const char *name,
                    uint8_t type, char text[INET6_ADDRSTRLEN])
{
	struct message query = ask(name, type), reply = answer(book, &query);

	address(&reply, text);
}

static const char *name_of(struct cx_alias_book *book, const char *text)
{
	struct sockaddr_storage at = { .ss_family = AF_INET };

	if (inet_pton(AF_INET, text,
	              &((struct sockaddr_in *)&at)->sin_addr) != 1) {
		at.ss_family = AF_INET6;
		assert_int_equal(
			inet_pton(AF_INET6, text,
			          &((struct sockaddr_in6 *)&at)->sin6_addr), 1);
	}
	return cx_alias_find(book, &at);
}

static void test_address(void **state)
{
	static struct cx_alias_book book;
	char first[INET6_ADDRSTRLEN], again[INET6_ADDRSTRLEN];

	(void)state;
	resolve(&book, "www.example.org", A, first);
	resolve(&book, "WWW.example.ORG", A, again);
	assert_string_equal(first, again);
	assert_string_equal(name_of(&book, first), "www.example.org");
	resolve(&book, "example.org", A, again);
	assert_string_not_equal(first, again);
	resolve(&book, "www.example.org", AAAA, again);
	assert_memory_equal(again, "2001:2::", 8);
	assert_string_equal(name_of(&book, again), "www.example.org");
	assert_null(name_of(&book, "198.18.0.255"));
	assert_null(name_of(&book, "198.17.1.0"));
	assert_null(name_of(&book, "93.184.216.34"));
	assert_null(name_of(&book, "2001:2::1:0:0"));
	assert_null(name_of(&book, "::1"));
}

static void test_codes(void **state)
{
	static struct cx_alias_book book;
	struct message query = ask("evil.example", A);
	struct message reply = answer(&book, &query);

	(void)state;
	assert_int_equal(code(&reply), 3);
	query = ask("", A);
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 3);
	query = ask("www.example.org", 16); /* TXT: there, and empty */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 0);
	assert_int_equal(reply.at[7], 0);
	query = ask("www.example.org", A);
	query.at[query.size - 1] = 3;       /* class CHAOS */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 5);
	query = ask("www.example.org", A);
	query.at[2] = 0x28;                 /* an update */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 4);
	query.at[2] = 0x80;                 /* an answer */
	reply = answer(&book, &query);
	assert_int_equal(reply.size, 0);
}

/* Names that would read as others don't exist. */
static void test_strange(void **state)
{
	static struct cx_alias_book book;
	struct message query = { .size = 0 }, reply;

	(void)state;
	put(&query, "\x12\x34\1\0\0\1\0\0\0\0\0\0", HEAD);
	put(&query, "\x0b" "a.example\0b\3org\0\0\1\0\1", 21);
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 3);
	query = ask("b\xc3\xbc" "cher.example", A);
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 3);
}

static void test_extended(void **state)
{
	static struct cx_alias_book book;
	struct message query = ask("www.example.org", A), reply;

	(void)state;
	query.at[11] = 1;
	put(&query, "\0\0\x29\x10\0\0\0\0\0\0\x04" "abcd", 15);
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 0);
	assert_int_equal(reply.at[7], 1);
	assert_int_equal(reply.at[11], 1);
	assert_memory_equal(reply.at + reply.size - 11, "\0\0\x29\4\xd0", 5);
	query.at[query.size - 5] = 5;       /* longer than it is */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 1);
}

static void test_ill_formed(void **state)
{
	static struct cx_alias_book book;
	const struct message good = ask("www.example.org", A);
	struct message query, reply;

	(void)state;
	for (size_t size = 0; size < good.size; size++) {
		query = good;
		query.size = size;
		reply = answer(&book, &query);
		assert_true(size < HEAD ? reply.size == 0 : code(&reply) == 1);
	}
	query = good;
	put(&query, "", 1);                 /* and a byte behind it */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 1);
	query = good;
	query.at[5] = 2;                    /* two questions */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 1);
	query = good;
	query.at[HEAD] = 0xc0;              /* a pointer */
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 1);
}

/* The longest name that DNS has, and one more. */
static void test_length(void **state)
{
	static struct cx_alias_book book;
	char name[256], text[INET6_ADDRSTRLEN];
	struct message query, reply;

	(void)state;
	memset(name, 'a', sizeof name);
	name[63] = name[127] = name[191] = '.';
	name[253] = '\0';
	resolve(&book, name, A, text);
	assert_string_equal(name_of(&book, text), name);
	name[253] = 'a';
	name[254] = '\0';
	query = ask(name, A);
	reply = answer(&book, &query);
	assert_int_equal(code(&reply), 1);
}

/* A book that is full forgets what was used longest ago, and what was
 * forgotten stands for nothing: never for the name that came after. */
static void test_forgotten(void **state)
{
	static struct cx_alias_book book;
	char old[INET6_ADDRSTRLEN], kept[INET6_ADDRSTRLEN], text[64];
	char last[INET6_ADDRSTRLEN];

	(void)state;
	resolve(&book, "kept.example", A, kept);
	resolve(&book, "old.example", A, old);
	for (int i = 0; i < 3 * CX_ALIAS_NAMES_MAX; i++) {
		snprintf(text, sizeof text, "n%d.example", i);
		resolve(&book, text, A, last);
		assert_string_equal(name_of(&book, last), text);
		assert_string_equal(name_of(&book, kept), "kept.example");
	}
	assert_null(name_of(&book, old));
	resolve(&book, "old.example", A, last);
	assert_string_not_equal(old, last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_strange),
		cmocka_unit_test(test_extended),
		cmocka_unit_test(test_ill_formed),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
