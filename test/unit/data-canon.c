/* data-canon.c - the published vectors of RFC 8785. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "base/hex.h"
#include "data/canon.h"
#include "data/digest.h"

static void check_file(const char *path, const char *text, size_t size)
{
	const char *name = strrchr(path, '/') + 1;
	CX_AUTO_FREE char *path_out = cx_mem_print("test/data/jcs/output/%s",
	                                           name);
	CX_AUTO_FREE char *wanted = NULL;
	CX_AUTO_JSON json_t *value = NULL;
	CX_AUTO_BUF struct cx_buf canon = { 0 };
	struct cx_err err;
	size_t wanted_size;

	if (cx_json_parse(text, size, path, &value, &err) < 0)
		fail_msg("%s", err.text);
	wanted = corpus_load(path_out, &wanted_size);
	cx_canon_write(value, &canon);
	assert_string_equal(canon.data, wanted);
	assert_true(cx_canon_is(wanted, wanted_size, value));
	assert_false(cx_canon_is(wanted, wanted_size - 1, value));
}

static void vectors(void **state)
{
	(void)state;
	assert_int_equal(corpus_walk("test/data/jcs/input", ".json",
	                             check_file), 6);
}

/* RFC 8785, appendix B. */
static const struct { uint64_t bits; const char *text; } sample[] = {
	{ 0x0000000000000000, "0" },
	{ 0x8000000000000000, "0" },
	{ 0x0000000000000001, "5e-324" },
	{ 0x8000000000000001, "-5e-324" },
	{ 0x7fefffffffffffff, "1.7976931348623157e+308" },
	{ 0xffefffffffffffff, "-1.7976931348623157e+308" },
	{ 0x4340000000000000, "9007199254740992" },
	{ 0xc340000000000000, "-9007199254740992" },
	{ 0x4430000000000000, "295147905179352830000" },
	{ 0x44b52d02c7e14af5, "9.999999999999997e+22" },
	{ 0x44b52d02c7e14af6, "1e+23" },
	{ 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
	{ 0x444b1ae4d6e2ef4e, "999999999999999700000" },
	{ 0x444b1ae4d6e2ef4f, "999999999999999900000" },
	{ 0x444b1ae4d6e2ef50, "1e+21" },
	{ 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
	{ 0x3eb0c6f7a0b5ed8d, "0.000001" },
	{ 0x41b3de4355555553, "333333333.3333332" },
	{ 0x41b3de4355555554, "333333333.33333325" },
	{ 0x41b3de4355555555, "333333333.3333333" },
	{ 0x41b3de4355555556, "333333333.3333334" },
	{ 0x41b3de4355555557, "333333333.33333343" },
	{ 0xbecbf647612f3696, "-0.0000033333333333333333" },
	{ 0x43143ff3c1cb0959, "1424953923781206.2" },
};

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(sample); i++) {
		CX_AUTO_BUF struct cx_buf text = { 0 };

		cx_canon_number(double_of(sample[i].bits), &text);
		assert_string_equal(text.data, sample[i].text);
	}
}

struct sequence {
	struct cx_digest_stream hash;
	size_t lines;
};

static void add_line(struct sequence *sequence, uint64_t bits)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };

	cx_buf_print(&line, "%lx,", (unsigned long)bits);
	cx_canon_number(double_of(bits), &line);
	cx_buf_byte(&line, '\n');
	cx_digest_add(&sequence->hash, line.data, line.size);
	sequence->lines++;
}

static void add_listed(struct sequence *sequence)
{
	size_t size;
	CX_AUTO_FREE char *text = corpus_load("test/data/jcs/doubles.txt",
	                                      &size);

	for (char *at = text; *at; at = strchr(at, '\n') + 1)
		add_line(sequence, strtoull(at, NULL, 16));
	for (uint64_t i = 0; i < 2000; i++)
		add_line(sequence, 0x0010000000000000 + i);
}

/* The vectors' own sequence, a chain of SHA-256 blocks read as doubles. */
static void add_random(struct sequence *sequence, size_t until)
{
	struct cx_digest block = { { 0 } };

	while (sequence->lines < until) {
		cx_digest_of(block.byte, sizeof block.byte, &block);
		for (size_t i = 0; i < 4 && sequence->lines < until; i++) {
			uint64_t bits;

			memcpy(&bits, block.byte + 8 * i, sizeof bits);
			if ((bits & 0x7ff0000000000000) != 0x7ff0000000000000 &&
			    (bits << 1) != 0)
				add_line(sequence, bits);
		}
	}
}

/* The digest that the vectors' authors published for these lines. */
static void hundred_thousand(void **state)
{
	struct sequence sequence = { .lines = 0 };
	char text[CX_DIGEST_TEXT];
	struct cx_digest digest;

	(void)state;
	cx_digest_start(&sequence.hash);
	add_listed(&sequence);
	add_random(&sequence, 100000);
	cx_digest_end(&sequence.hash, &digest);
	cx_digest_text(&digest, text);
	assert_string_equal(text, "sha256:22776e6d4b49fa294a0d0f349268e5c2"
	                    "8808fe7e0cb2bcbe28f63894e494d4c7");
}

static const struct { const char *text, *canon; } row[] = {
	{ "{\"b\":1,\"a\":{\"d\":[],\"c\":{}}}",
	  "{\"a\":{\"c\":{},\"d\":[]},\"b\":1}" },
	{ "{\"aa\":1,\"a\":2,\"\":3}", "{\"\":3,\"a\":2,\"aa\":1}" },
	/* beyond U+FFFF before U+E000 to U+FFFF, after U+D7FF */
	{ "{\"\xef\xbf\xbd\":1,\"\xf0\x90\x80\x80\":2,\"\xed\x9f\xbf\":3,"
	  "\"\xee\x80\x80\":4}",
	  "{\"\xed\x9f\xbf\":3,\"\xf0\x90\x80\x80\":2,\"\xee\x80\x80\":4,"
	  "\"\xef\xbf\xbd\":1}" },
	{ "[9007199254740992,9007199254740993,9223372036854775807]",
	  "[9007199254740992,9007199254740992,9223372036854776000]" },
};

static void rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_JSON json_t *value = NULL;
		CX_AUTO_BUF struct cx_buf canon = { 0 };
		struct cx_err err;

		assert_int_equal(cx_json_parse(row[i].text,
		                               strlen(row[i].text), "x",
		                               &value, &err), 0);
		cx_canon_write(value, &canon);
		assert_string_equal(canon.data, row[i].canon);
	}
}

/* More members than stand on the stack. */
static void many_members(void **state)
{
	CX_AUTO_JSON json_t *value = json_object();
	CX_AUTO_BUF struct cx_buf canon = { 0 };
	char name[8];

	(void)state;
	for (int i = 499; i >= 0; i--) {
		snprintf(name, sizeof name, "%03d", i);
		json_object_set_new(value, name, json_integer(i));
	}
	cx_canon_write(value, &canon);
	assert_memory_equal(canon.data, "{\"000\":0,\"001\":1,", 17);
	assert_string_equal(canon.data + canon.size - 11, ",\"499\":499}");
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(samples),
		cmocka_unit_test(hundred_thousand),
		cmocka_unit_test(rows),
		cmocka_unit_test(many_members),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
