/* data-json.c - reading: faults and where they are; writing: every form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "data/json.h"

static json_t *parse(const char *text)
{
	struct cx_err err;
	json_t *value = NULL;

	if (cx_json_parse(text, strlen(text), "x", &value, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return value;
}

static const struct {
	const char *text;
	const char *says; /* begins the message, behind "x: " */
	const char *pointer;
} fault[] = {
	{ "", "line 1, column 1: it is empty", "" },
	{ " \n ", "line 1, column 1: it is empty", "" },
	{ "\xef\xbb\xbf{}", "line 1, column 1: begins with a byte-order", "" },
	{ "{\"a\":1,\"a\":2}", "line 1, column 8: this key stands twice", "/a" },
	{ "{\"a\":1,\"\\u0061\":2}", "line 1, column 8: this key stands", "/a" },
	{ "{\"a\":{},\"a\":[]}", "line 1, column 9: this key stands", "/a" },
	{ "[{\"~/\":{\"a\":[1,\n2,x", "line 2, column 3: a value must",
	  "/0/~0~1/a/2" },
	{ "[1 2]", "line 1, column 4: a comma or ] must come here, not '2'",
	  "" },
	{ "{\"a\":1 \"b\"", "line 1, column 8: a comma or }", "" },
	{ "[1,]", "line 1, column 4: a value must come here", "/1" },
	{ "{\"a\":1,}", "line 1, column 8: a key in double quotes", "" },
	{ "{a:1}", "line 1, column 2: a key in double quotes", "" },
	{ "{\"a\" 1}", "line 1, column 6: a colon must come", "/a" },
	{ "[", "line 1, column 2: the text ends where a value", "/0" },
	{ "[1", "line 1, column 3: the text ends where a comma or ]", "" },
	{ "{\"a\":[{\"b\":tru", "line 1, column 12: a value", "/a/0/b" },
	{ "{\"a\":1}{\"b\":2}", "line 1, column 8: more text after", "" },
	{ "{\"a\":1} x", "line 1, column 9: more text after", "" },
	{ "{\"a\":00}", "line 1, column 6: a number can't begin with 0", "/a" },
	{ "{\"a\":-}", "line 1, column 6: digits must follow", "/a" },
	{ "[1.]", "line 1, column 2: digits are missing", "/0" },
	{ "[1e]", "line 1, column 2: digits are missing", "/0" },
	{ "[1e+]", "line 1, column 2: digits are missing", "/0" },
	{ "[.5]", "line 1, column 2: a value must come here, not '.'", "/0" },
	{ "{\"a\":NaN}", "line 1, column 6: a value must come", "/a" },
	{ "{\"a\":1e999}", "line 1, column 6: a number beyond what", "/a" },
	{ "[9223372036854775808]", "line 1, column 2: a whole number beyond",
	  "/0" },
	{ "[-9223372036854775809]", "line 1, column 2: a whole number beyond",
	  "/0" },
	{ "{\"a\":\"\\ud800\"}", "line 1, column 7: a high surrogate", "/a" },
	{ "{\"a\":\"\\ud800\\u0041\"}", "line 1, column 7: a high", "/a" },
	{ "{\"a\":\"x\\udc00\"}", "line 1, column 8: a low surrogate", "/a" },
	{ "{\"a\":\"x\\u0000y\"}", "line 1, column 8: \\u0000 (NUL)", "/a" },
	{ "{\"a\\u0000b\":1}", "line 1, column 4: \\u0000 (NUL)", "" },
	{ "[\"\\q\"]", "line 1, column 3: JSON has no such escape", "/0" },
	{ "[\"\\u00g0\"]", "line 1, column 3: \\u must have four", "/0" },
	{ "[\"a\tb\"]", "line 1, column 4: a control character", "/0" },
	{ "[\"a\nb\"]", "line 1, column 4: a control character", "/0" },
	{ "[\"\xc3\xa9\xff\"]", "line 1, column 4: invalid UTF-8", "/0" },
	{ "[\"\xed\xa0\x80\"]", "line 1, column 3: invalid UTF-8", "/0" },
	{ "[\"\xc0\x80\"]", "line 1, column 3: invalid UTF-8", "/0" },
	{ "[\"abc", "line 1, column 2: this text is never closed", "/0" },
	{ "[\"abc\\", "line 1, column 6: the text ends inside an escape", "/0" },
	{ "/*c*/{}", "line 1, column 1: a value must come here, not '/'", "" },
	{ "\r\n\r\n x", "line 3, column 2: a value must", "" },
	{ "[\xc3\xa9]", "line 1, column 2: a value must come here, not the "
	  "byte 0xc3", "/0" },
};

static void faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(fault); i++) {
		struct cx_err err = { 0 };
		json_t *value = NULL;

		assert_int_equal(cx_json_parse(fault[i].text,
		                               strlen(fault[i].text), "x",
		                               &value, &err), -1);
		assert_null(value);
		assert_int_equal(err.code, CX_E_INPUT_INVALID);
		assert_memory_equal(err.text, "x: ", 3);
		if (!cx_str_starts(err.text + 3, fault[i].says))
			fail_msg("%s: %s", fault[i].text, err.text);
		assert_string_equal(err.pointer, fault[i].pointer);
	}
}

static void raw_nul(void **state)
{
	static const char text[] = "{\"a\":\"x\0y\"}", between[] = "[1,\0]";
	struct cx_err err;
	json_t *value;

	(void)state;
	assert_int_equal(cx_json_parse(text, sizeof text - 1, "x", &value,
	                               &err), -1);
	assert_string_equal(err.text, "x: line 1, column 8: a NUL byte");
	assert_string_equal(err.pointer, "/a");
	assert_int_equal(cx_json_parse(between, sizeof between - 1, "x",
	                               &value, &err), -1);
}

/* A pointer that is too long for its place keeps whole tokens. */
static void long_pointer(void **state)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;
	json_t *value;

	(void)state;
	for (int i = 0; i < 30; i++)
		cx_buf_text(&text, "{\"abcdefghijklmno\":");
	assert_int_equal(cx_json_parse(text.data, text.size, "x", &value,
	                               &err), -1);
	assert_int_equal(strlen(err.pointer) % 16, 0);
	assert_int_equal(strlen(err.pointer), 240);
}

static void depth(void **state)
{
	char text[2 * 65];
	struct cx_err err;
	json_t *value;

	(void)state;
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(cx_json_parse(text + 1, 128, "x", &value, &err), 0);
	json_decref(value);
	assert_int_equal(cx_json_parse(text, 130, "x", &value, &err), -1);
	assert_string_equal(err.text,
	                    "x: line 1, column 65: nested deeper than 64");
}

/* Text that another reader works on for a minute is refused at once. */
static void brackets(void **state)
{
	size_t size = 16 << 20;
	CX_AUTO_FREE char *text = cx_mem_new(size);
	int64_t start = corpus_cpu_us();
	struct cx_err err;
	json_t *value;

	(void)state;
	memset(text, '[', size);
	assert_int_equal(cx_json_parse(text, size, "x", &value, &err), -1);
	for (size_t i = 0; i + 5 < size; i += 5)
		memcpy(text + i, "{\"a\":", 5);
	assert_int_equal(cx_json_parse(text, size, "x", &value, &err), -1);
	assert_true(corpus_cpu_us() - start < 50000 * CORPUS_SLOWER);
}

static void containers(void **state)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;
	json_t *value;

	(void)state;
	cx_buf_byte(&text, '[');
	for (int i = 0; i < CX_JSON_CONTAINERS_MAX - 1; i++)
		cx_buf_text(&text, "[],");
	text.data[text.size - 1] = ']';
	assert_int_equal(cx_json_parse(text.data, text.size, "x", &value, &err),
	                 0);
	json_decref(value);
	text.data[text.size - 1] = ',';
	cx_buf_text(&text, "[]]");
	assert_int_equal(cx_json_parse(text.data, text.size, "x", &value, &err),
	                 -1);
	assert_string_equal(err.pointer, "/1048575");
}

static const struct { const char *text, *wanted; } form[] = {
	{ "{\"x-a\":-0}", "{\"x-a\":0}" },
	{ "[-0.0,0.0,-0e9]", "[0,0,0]" },
	{ "[1.0,1e3,1.5e-7,1E30]", "[1,1000,1.5e-7,1e+30]" },
	{ "[1e20,-9.3e18,1e21]", "[1e+20,-9.3e+18,1e+21]" },
	{ "[9223372036854775807,-9223372036854775808]",
	  "[9223372036854775807,-9223372036854775808]" },
	{ "[5e-324,1e-400]", "[5e-324,0]" },
	{ " { \"b\" : 1 , \"a\" : [ ] } ", "{\"b\":1,\"a\":[]}" },
	{ "\"\\u00e9\\ud83d\\ude02\\/\\b\\f\\n\\r\\t\\u001f\\\"\\\\\"",
	  "\"\xc3\xa9\xf0\x9f\x98\x82/\\b\\f\\n\\r\\t\\u001f\\\"\\\\\"" },
	{ "\"\x7f\xc2\x80\"", "\"\x7f\xc2\x80\"" },
	{ "[true,false,null,\"\"]", "[true,false,null,\"\"]" },
	{ "{\"\":{\"\":{}}}", "{\"\":{\"\":{}}}" },
	{ "\"0123456\xc3\xa9 89abcdef\\\\\"", "\"0123456\xc3\xa9 89abcdef\\\\\"" },
};

static void forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(form); i++) {
		CX_AUTO_JSON json_t *value = parse(form[i].text);
		CX_AUTO_JSON json_t *again = NULL;
		CX_AUTO_BUF struct cx_buf text = { 0 };

		cx_json_write(value, &text);
		assert_string_equal(text.data, form[i].wanted);
		again = parse(text.data);
		cx_buf_clear(&text);
		cx_json_write(again, &text);
		assert_string_equal(text.data, form[i].wanted);
	}
}

static void pretty(void **state)
{
	CX_AUTO_JSON json_t *value = parse(
		"{\"a\":[1,{}],\"b\\u007f\":\"\\u001b[\xe2\x80\xae\xc2\x9b\xc3"
		"\xa9\",\"c\":[]}");
	CX_AUTO_BUF struct cx_buf plain = { 0 }, colour = { 0 };

	(void)state;
	cx_json_pretty(value, false, &plain);
	assert_string_equal(plain.data,
	                    "{\n  \"a\": [\n    1,\n    {}\n  ],\n"
	                    "  \"b\\u007f\": "
	                    "\"\\u001b[\\u202e\\u009b\xc3\xa9\",\n"
	                    "  \"c\": []\n}");
	cx_json_pretty(json_object_get(value, "c"), true, &colour);
	assert_string_equal(colour.data, "[]");
	cx_buf_clear(&colour);
	cx_json_pretty(value, true, &colour);
	assert_non_null(strstr(colour.data, "\033[34;1m\"a\"\033[0m: ["));
	assert_non_null(strstr(colour.data, "\033[32m\"\\u001b["));
}

static void repaired(void **state)
{
	static const struct { const char *data; size_t size; const char *text; }
	row[] = {
		{ "", 0, "" },
		{ "ok\n", 3, "ok\n" },
		{ "a\0b", 3, "a\xef\xbf\xbd" "b" },
		{ "\xff\xfe", 2, "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc3\xa9\xc3", 3, "\xc3\xa9\xef\xbf\xbd" },
		{ "\xed\xa0\x80", 3,
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_JSON json_t *value = cx_json_repaired(row[i].data,
		                                              row[i].size);

		assert_string_equal(json_string_value(value), row[i].text);
	}
	json_decref(cx_json_repaired(NULL, 0));
}

static void getters(void **state)
{
	CX_AUTO_JSON json_t *value = parse(
		"{\"t\":\"x\",\"n\":7,\"b\":true,\"r\":1.5}");

	(void)state;
	assert_string_equal(cx_json_text(value, "t"), "x");
	assert_null(cx_json_text(value, "n"));
	assert_null(cx_json_text(NULL, "n"));
	assert_int_equal(cx_json_number(value, "n", 1), 7);
	assert_int_equal(cx_json_number(value, "r", 1), 1);
	assert_int_equal(cx_json_number(value, "none", 1), 1);
	assert_true(cx_json_is_true(value, "b"));
	assert_false(cx_json_is_true(value, "n"));
}

/* jansson reads the same value. */
static void read_ok(const char *path, const char *text, size_t size)
{
	CX_AUTO_JSON json_t *ours = NULL, *theirs = NULL;
	struct cx_err err;
	json_error_t error;

	if (cx_json_parse(text, size, path, &ours, &err) < 0)
		fail_msg("%s", err.text);
	theirs = json_loadb(text, size,
	                    JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	assert_non_null(theirs);
	assert_true(json_equal(ours, theirs));
}

static void read_bad(const char *path, const char *text, size_t size)
{
	json_t *value = NULL;
	struct cx_err err;

	if (cx_json_parse(text, size, "x", &value, &err) == 0)
		fail_msg("%s was read", path);
	assert_true(cx_str_starts(err.text, "x: line "));
}

static void corpora(void **state)
{
	(void)state;
	assert_true(corpus_walk("test/data/json/ok", ".json", read_ok) > 90);
	assert_true(corpus_walk("test/data/json/bad", ".json", read_bad) > 200);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(faults),
		cmocka_unit_test(raw_nul),
		cmocka_unit_test(long_pointer),
		cmocka_unit_test(depth),
		cmocka_unit_test(brackets),
		cmocka_unit_test(containers),
		cmocka_unit_test(forms),
		cmocka_unit_test(pretty),
		cmocka_unit_test(repaired),
		cmocka_unit_test(getters),
		cmocka_unit_test(corpora),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
