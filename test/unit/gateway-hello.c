/*
 * gateway-hello.c - the server's name in hellos as clients write them, in
 * pieces, and ill formed ones, which name nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/fd.h"
#include "gateway/hello.h"

enum { BYTES = 4096, RECORD_HEAD = 5 };

struct bytes {
	uint8_t at[BYTES];
	size_t size;
};

static void put(struct bytes *to, const void *data, size_t size)
{
	assert_true(to->size + size <= BYTES);
	memcpy(to->at + to->size, data, size);
	to->size += size;
}

static void put16(struct bytes *to, size_t value)
{
	put(to, (uint8_t[]){ (uint8_t)(value >> 8), (uint8_t)value }, 2);
}

/* An extension that names a host. */
static void put_name(struct bytes *to, const char *name)
{
	size_t size = strlen(name);

	put16(to, 0);
	put16(to, size + 5);
	put16(to, size + 3);
	put(to, "\0", 1);
	put16(to, size);
	put(to, name, size);
}

/* A hello in one record, with these extensions; NULL: without any. */
static struct bytes hello(const struct bytes *extensions)
{
	struct bytes body = { .size = 0 }, whole = { .size = 0 };

	put(&body, "\3\3", 2);
	for (int i = 0; i < 8; i++)
		put(&body, "rand", 4);
	put(&body, "\0\0\2\x13\1\1\0", 7);
	if (extensions) {
		put16(&body, extensions->size);
		put(&body, extensions->at, extensions->size);
	}
	put(&whole, "\x16\3\1", 3);
	put16(&whole, body.size + 4);
	put(&whole, "\1\0", 2);
	put16(&whole, body.size);
	put(&whole, body.at, body.size);
	return whole;
}

static struct bytes hello_for(const char *name)
{
	struct bytes extensions = { .size = 0 };

	put(&extensions, "\0\x17\0\0", 4);
	put_name(&extensions, name);
	put(&extensions, "\x0a\x0a\0\1\0", 5);
	return hello(&extensions);
}

static void reads_as(const struct bytes *bytes, enum cx_hello_state state,
                     const char *name)
{
	struct cx_hello found;

	assert_int_equal(cx_hello_read(bytes->at, bytes->size, &found), state);
	assert_string_equal(found.name, name);
}

static void test_name(void **state)
{
	static const char *const names[] = {
		"example.org", "a", "xn--bcher-kva.example", "1.2.3.4", "a.b_c",
	};
	struct bytes bytes;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(names); i++) {
		bytes = hello_for(names[i]);
		reads_as(&bytes, CX_HELLO_NAMED, names[i]);
	}
	bytes = hello_for("WWW.Example.ORG");
	reads_as(&bytes, CX_HELLO_NAMED, "www.example.org");
}

/* Each piece that isn't the whole asks for more; what follows is let be. */
static void test_pieces(void **state)
{
	struct bytes bytes = hello_for("example.org");
	size_t whole = bytes.size;

	(void)state;
	for (bytes.size = 0; bytes.size < whole; bytes.size++)
		reads_as(&bytes, CX_HELLO_MORE, "");
	put(&bytes, "\x17\3\3\0\5early", 10);
	reads_as(&bytes, CX_HELLO_NAMED, "example.org");
}

/* The same in records of size bytes. */
static struct bytes split(const struct bytes *whole, size_t size)
{
	struct bytes bytes = { .size = 0 };

	for (size_t at = RECORD_HEAD; at < whole->size; at += size) {
		size_t here = whole->size - at < size ? whole->size - at
		              : size;

		put(&bytes, "\x16\3\3", 3);
		put16(&bytes, here);
		put(&bytes, whole->at + at, here);
	}
	return bytes;
}

static void test_records(void **state)
{
	const struct bytes whole = hello_for("example.org");
	struct bytes bytes = split(&whole, 10);

	(void)state;
	reads_as(&bytes, CX_HELLO_NAMED, "example.org");
	bytes = split(&whole, 2);
	reads_as(&bytes, CX_HELLO_BAD, ""); /* too many of them */
}

static void test_nameless(void **state)
{
	struct bytes extensions = { .size = 0 };
	struct bytes bytes = hello(NULL);

	(void)state;
	reads_as(&bytes, CX_HELLO_NAMELESS, "");
	bytes = hello(&extensions);
	reads_as(&bytes, CX_HELLO_NAMELESS, "");
	put(&extensions, "\0\x17\0\0", 4);
	bytes = hello(&extensions);
	reads_as(&bytes, CX_HELLO_NAMELESS, "");
}

static void test_other(void **state)
{
	static const char *const texts[] = {
		"GET / HTTP/1.1\r\n", "SSH-2.0-x", "\x80\x2e\1\3", "\x15\3\1\0\2",
		"\x17\3\3", "E", "\x16\2\1", "\x16\3\5", "\x16\x16",
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(texts); i++) {
		struct bytes bytes = { .size = 0 };
		struct cx_hello found;
		enum cx_hello_state is;

		put(&bytes, texts[i], strlen(texts[i]));
		is = cx_hello_read(bytes.at, bytes.size, &found);
		assert_true(is == CX_HELLO_OTHER);
	}
}

/* Two names, in one list or in two. */
static struct bytes twice(bool one_list)
{
	struct bytes extensions = { .size = 0 };

	if (!one_list) {
		put_name(&extensions, "a.example");
		put_name(&extensions, "b.example");
		return hello(&extensions);
	}
	put(&extensions, "\0\0\0\x0a\0\x08\0\0\1a\0\0\1b", 14);
	return hello(&extensions);
}

static void change(struct bytes *bytes, size_t at, uint8_t to)
{
	bytes->at[at] = to;
}

static void test_bad(void **state)
{
	struct bytes bytes = twice(true);

	(void)state;
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = twice(false);
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("");
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("a b");
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("b\xc3\xbc" "cher.example");
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("a");
	change(&bytes, RECORD_HEAD, 2);          /* a ServerHello */
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("a");
	change(&bytes, RECORD_HEAD + 1, 1);      /* 64 KiB long */
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("a");
	change(&bytes, 4, (uint8_t)(bytes.at[4] - 1)); /* ends behind it */
	put(&bytes, "\x16\3\1\0\1a", 6);
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = hello_for("a");
	bytes.at[4]++;                           /* and more in the record */
	put(&bytes, "x", 1);
	reads_as(&bytes, CX_HELLO_BAD, "");
	bytes = (struct bytes){ .size = 0 };
	put(&bytes, "\x16\3\1\0\0", 5);          /* an empty record */
	reads_as(&bytes, CX_HELLO_BAD, "");
}

/* Each byte changed, cut short: never read past, never another name's. */
static void test_mangled(void **state)
{
	const struct bytes good = hello_for("example.org");

	(void)state;
	for (size_t i = 0; i < good.size; i++)
		for (unsigned value = 0; value < 256; value++) {
			struct bytes bytes = good;
			struct cx_hello found;

			change(&bytes, i, (uint8_t)value);
			cx_hello_read(bytes.at, bytes.size, &found);
			assert_true(strlen(found.name) < sizeof found.name);
		}
}

/* As the clients of today write them: test/data/hello/ok. */
static void test_clients(void **state)
{
	static const char *const files[] = {
		"curl", "openssl", "openssl-tls12", "node", "git",
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(files); i++) {
		CX_AUTO_BUF struct cx_buf text = { 0 };
		char path[64];
		struct cx_hello found;
		struct cx_err err;

		snprintf(path, sizeof path, "test/data/hello/ok/%s", files[i]);
		assert_int_equal(cx_fd_load(AT_FDCWD, path, 1 << 16, &text,
		                            &err), 0);
		assert_int_equal(cx_hello_read((const uint8_t *)text.data,
		                               text.size, &found),
		                 CX_HELLO_NAMED);
		assert_string_equal(found.name, "www.example.org");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mangled),
		cmocka_unit_test(test_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
