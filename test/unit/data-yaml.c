/* data-yaml.c - YAML 1.2: values, faults and where they are, splitting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "data/plain.h"
#include "data/yaml.h"

static const struct {
	const char *text;
	const char *says; /* begins the message, behind "x: " */
	const char *pointer;
} fault[] = {
	{ "", "line 1, column 1: it is empty", "" },
	{ "# nothing\n\n", "line 1, column 1: it is empty", "" },
	{ "\xef\xbb\xbf" "a: 1\n", "line 1, column 1: a byte-order", "" },
	{ "a: \xef\xbb\xbf" "1\n", "line 1, column 4: a byte-order", "" },
	{ "a: \xff\n", "line 1, column 4: invalid UTF-8", "" },
	{ "a: \x01\n", "line 1, column 4: a control character", "" },
	{ "a: \x7f\n", "line 1, column 4: a control character", "" },
	{ "\xc3\xa9: \xc2\x85\n", "line 1, column 4: a line separator", "" },
	{ "a: 1 # \xe2\x80\xa8" "b: 2\n", "line 1, column 8: a line sep", "" },
	{ "%YAML 1.1\n---\na: 1\n", "line 1, column 1: directives", "" },
	{ "%YAML 1.2 x\n---\na: 1\n", "line 1, column 1: only YAML 1.2", "" },
	{ "%YAML 1.2\n%YAML 1.2\n---\na: 1\n", "line 2, column 1: direct",
	  "" },
	{ "# x\n%TAG !a! b\n---\na: 1\n", "line 2, column 1: directives", "" },
	{ "a: &b 1\n", "line 1, column 4: anchors are refused", "/a" },
	{ "a: &b [1]\n", "line 1, column 4: anchors are refused", "/a" },
	{ "&b a: 1\n", "line 1, column 1: anchors are refused", "" },
	{ "a: *b\n", "line 1, column 4: aliases are refused", "/a" },
	{ "*b : 1\n", "line 1, column 1: aliases are refused", "" },
	{ "a: !!str 1\n", "line 1, column 4: tags are refused", "/a" },
	{ "a: ! 1\n", "line 1, column 4: tags are refused", "/a" },
	{ "- !x {}\n", "line 1, column 3: tags are refused", "/0" },
	{ "<<: {a: 1}\n", "line 1, column 1: merge keys are refused", "" },
	{ "os: [jq]\npip: [numpy]\nos: [curl]\n",
	  "line 3, column 1: this key stands twice", "/os" },
	{ "a: {b: 1, \"b\": 2}\n", "line 1, column 11: this key stands twice",
	  "/a/b" },
	{ "1: x\n", "line 1, column 1: a key that YAML doesn't read as a text",
	  "" },
	{ "a:\n  true: x\n", "line 2, column 3: a key that YAML", "/a" },
	{ "~: x\n", "line 1, column 1: a key that YAML", "" },
	{ "?\n: x\n", "line 1, column 2: a key that YAML", "" },
	{ "? [a]\n: 1\n", "line 1, column 3: a key must be a text", "" },
	{ "{a: 1}: 1\n", "line 1, column 1: a key must be a text", "" },
	{ "a: 1\n---\nb: 1\n", "line 2, column 1: a second document", "" },
	{ "a: 1\n...\n---\nb: 1\n", "line 3, column 1: a second document", "" },
	{ "a: 1\n...\nb: 2\n", "line 3, column 1: more text after the end",
	  "" },
	{ "a: 1\n...\n%TAG ! x\n", "line 3, column 1: more text after", "" },
	{ "[1]\n]\n", "line 2, column 1: more text after the end", "" },
	{ "a: b: c\n", "line 1, column 5: a \": \" that can't stand", "" },
	{ "\ta: 1\n", "line 1, column 1: a character that can't begin", "" },
	{ "a:\n  - @b\n", "line 2, column 5: a character that can't begin",
	  "/a/0" },
	{ "a: [1, 2\n", "line 2, column 1: did not find expected ',' or ']'",
	  "/a/2" },
	{ "a: \"b\n", "line 2, column 1: found unexpected end of stream",
	  "/a" },
	{ "a: \"\\0\"\n", "line 1, column 4: \\0 (NUL) is refused", "/a" },
	{ "\"\\0\": 1\n", "line 1, column 1: \\0 (NUL) is refused", "" },
	{ "a: \"\\ud800\"\n", "line 1, column 7: found invalid Unicode", "/a" },
	{ "a: .inf\n", "line 1, column 4: infinity and not-a-number", "/a" },
	{ "- -.Inf\n", "line 1, column 3: infinity and not-a-number", "/0" },
	{ "a: .NaN\n", "line 1, column 4: infinity and not-a-number", "/a" },
	{ "a: 1e999\n", "line 1, column 4: a number beyond", "/a" },
	{ "a: 9223372036854775808\n", "line 1, column 4: a whole number beyond",
	  "/a" },
	{ "a: -9223372036854775809\n", "line 1, column 4: a whole number", "/a" },
	{ "a: 0x8000000000000000\n", "line 1, column 4: a whole number", "/a" },
	{ "a: 0o1000000000000000000000\n", "line 1, column 4: a whole", "/a" },
	{ "[?x]\n", "line 1, column 3: a \"?\" before this", "/0" },
	{ "\xc3\xa9: {?\xc3\xa9: 1}\n", "line 1, column 6: a \"?\" before", "/\xc3\xa9" },
	{ "a: \"b\"#c\n", "line 1, column 7: a \"#\" right behind", "/a" },
	{ "a: [b]#c\n", "line 1, column 7: a \"#\" right behind", "" },
};

static void faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(fault); i++) {
		struct cx_err err = { 0 };
		json_t *value = NULL;

		assert_int_equal(cx_yaml_parse(fault[i].text,
		                               strlen(fault[i].text), "x",
		                               CX_YAML_DOCUMENT, &value, &err),
		                 -1);
		assert_null(value);
		assert_int_equal(err.code, CX_E_INPUT_INVALID);
		if (!cx_str_starts(err.text, "x: ") ||
		    !cx_str_starts(err.text + 3, fault[i].says) ||
		    !cx_str_same(err.pointer, fault[i].pointer))
			fail_msg("%s: %s [%s]", fault[i].text, err.text,
			         err.pointer);
	}
}

static void raw_nul(void **state)
{
	struct cx_err err;
	json_t *value;

	(void)state;
	assert_int_equal(cx_yaml_parse("a: b\0c\n", 7, "x", CX_YAML_DOCUMENT,
	                               &value, &err), -1);
	assert_string_equal(err.text, "x: line 1, column 5: a NUL byte");
}

static const struct { const char *text, *json; } read_as[] = {
	{ "a: yes\nb: no\nc: on\nd: y\n",
	  "{\"a\":\"yes\",\"b\":\"no\",\"c\":\"on\",\"d\":\"y\"}" },
	{ "[true, True, TRUE, false, False, FALSE, tRUE]",
	  "[true,true,true,false,false,false,\"tRUE\"]" },
	{ "[null, Null, NULL, ~, nULL]", "[null,null,null,null,\"nULL\"]" },
	{ "a:\nb: ''\n", "{\"a\":null,\"b\":\"\"}" },
	{ "[0o17, 0x1F, 017, +5, -0, 1_000, 0b11, 0o8]",
	  "[15,31,17,5,0,\"1_000\",\"0b11\",\"0o8\"]" },
	{ "[1e3, .5, 1., 1.5e-7, 12:30:45, 2026-11-30, 1.2.3, ., e3, +.5]",
	  "[1000,0.5,1,1.5e-7,\"12:30:45\",\"2026-11-30\",\"1.2.3\",\".\","
	  "\"e3\",0.5]" },
	{ "[9223372036854775807, -9223372036854775808]",
	  "[9223372036854775807,-9223372036854775808]" },
	{ "a: \"\\xe9\\u20ac\\U0001f600\\L\"\n",
	  "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x80\xa8\"}" },
	{ "a: |\n  [[[[ {{{{ &x *y !z %w\n  line\n",
	  "{\"a\":\"[[[[ {{{{ &x *y !z %w\\nline\\n\"}" },
	{ "a: >-\n  one\n  two\n", "{\"a\":\"one two\"}" },
	{ "%YAML 1.2 # x\n---\na: 1\n...\n# end\n", "{\"a\":1}" },
	{ "a: 1\r\nb: [x,\r\n  y]\r\n", "{\"a\":1,\"b\":[\"x\",\"y\"]}" },
	{ "\"1\": a\n'true': b\n\"<<\": c\n",
	  "{\"1\":\"a\",\"true\":\"b\",\"<<\":\"c\"}" },
	{ "a: b #c\nd: e#f\n", "{\"a\":\"b\",\"d\":\"e#f\"}" },
	{ "a: |\n  x\n#c\n", "{\"a\":\"x\\n\"}" },
	{ "{? x : 1}", "{\"x\":1}" },
	{ "--- text\n", "\"text\"" },
};

static void values(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(read_as); i++) {
		CX_AUTO_JSON json_t *value = NULL;
		CX_AUTO_BUF struct cx_buf text = { 0 };
		struct cx_err err;

		if (cx_yaml_parse(read_as[i].text, strlen(read_as[i].text),
		                  "x", CX_YAML_DOCUMENT, &value, &err) < 0)
			fail_msg("%s: %s", read_as[i].text, err.text);
		cx_json_write(value, &text);
		assert_string_equal(text.data, read_as[i].json);
	}
}

static const char *const doubtful[] = {
	"3.10", "1e3", "no", "0o17", "12:30:45", "~", "null", "true", "y", "N",
	"off", "017", "08", "0b11", "0x_f", "1_000", "+1", "-1", ".5", "5.",
	"1_0.5", "1:30.5", "1e+3", ".inf", ".NaN", "2026-11-30",
	"2026-1-1T1:02:03Z", "2026-11-30 20:40:47.5 +1", "<<", "=", "1.2.3",
};

static const char *const clear[] = {
	"jq", "numpy>=2", "1.2.3-4", "node18", "g++", "lib3ds-1-3", "1e", "0x",
	"prettier@3", "2to3", "v1.2", ".", "..", "-", "_1", "12:30:45x",
	"2026-11", "nope", "ON1", "==", "1.2.x",
};

static void declarations(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(doubtful); i++)
		if (cx_plain_is_surely_text(doubtful[i]))
			fail_msg("%s", doubtful[i]);
	for (size_t i = 0; i < CX_COUNT(clear); i++)
		if (!cx_plain_is_surely_text(clear[i]))
			fail_msg("%s", clear[i]);
}

static void quote_it(void **state)
{
	static const char text[] = "os:\n- curl\n-\n- \"\"\n- 1.10\n- '1.10'\n";
	CX_AUTO_JSON json_t *value = NULL, *faults_found = json_array();
	struct cx_err err;

	(void)state;
	assert_int_equal(cx_yaml_parse(text, strlen(text), "x",
	                               CX_YAML_DECLARATION, &value, &err), -1);
	assert_string_equal(err.pointer, "/os/1");
	assert_int_equal(cx_yaml_declaration(text, strlen(text), "x",
	                                     faults_found, &value, &err), 0);
	assert_int_equal(json_array_size(faults_found), 2);
	assert_string_equal(cx_json_text(json_array_get(faults_found, 1),
	                                 "pointer"), "/os/3");
	assert_non_null(strstr(cx_json_text(json_array_get(faults_found, 1),
	                                    "message"), "quote it"));
	assert_int_equal(json_array_size(json_object_get(value, "os")), 5);
	assert_int_equal(cx_yaml_parse("off: 1", 6, "x", CX_YAML_DECLARATION,
	                               &value, &err), -1);
}

static void depth(void **state)
{
	char text[2 * 65];
	struct cx_err err;
	json_t *value;

	(void)state;
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(cx_yaml_parse(text + 1, 128, "x", CX_YAML_DOCUMENT,
	                               &value, &err), 0);
	json_decref(value);
	assert_int_equal(cx_yaml_parse(text, 130, "x", CX_YAML_DOCUMENT,
	                               &value, &err), -1);
	assert_string_equal(err.text,
	                    "x: line 1, column 65: nested deeper than 64");
}

/* Texts on which libyaml alone would work for minutes or eat the memory: at
 * most 40 ms each (sanitizers and a busy machine included). */
static void hostile(void **state)
{
	static const char *const piece[] = {
		"[", "{", "- ", "? ", "{a: ", "[[[[\n", "- [", "&a ", "*a ",
		"!!a ", "[a, ", "? - ", "%TAG !a! x\n", "[{a: &x ",
		"a: &a [*a]\n", "...\n%TAG !a! x\n", "---\n", "\"",
	};
	size_t size = 320000;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(piece); i++) {
		CX_AUTO_BUF struct cx_buf text = { 0 };
		int64_t start;
		struct cx_err err;
		json_t *value = NULL;

		while (text.size < size)
			cx_buf_text(&text, piece[i]);
		start = corpus_cpu_us();
		assert_int_equal(cx_yaml_parse(text.data, text.size, "x",
		                               CX_YAML_DOCUMENT, &value, &err),
		                 -1);
		if (corpus_cpu_us() - start > 40000 * CORPUS_SLOWER)
			fail_msg("%s took %ld us", piece[i],
			         (long)(corpus_cpu_us() - start));
	}
}

static void any(void **state)
{
	static const struct { const char *text; bool good; } row[] = {
		{ " \n{\"a\":1}", true }, { "[1]", true }, { "{a: 1}", false },
		{ "a: 1", true }, { "\"a\": 1", true }, { "", false },
		{ "{\"a\":1}\n---\n", false }, { "\xef\xbb\xbf{}", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_JSON json_t *value = NULL;
		struct cx_err err;

		assert_int_equal(cx_yaml_parse_any(row[i].text,
		                                   strlen(row[i].text), "x",
		                                   &value, &err),
		                 row[i].good ? 0 : -1);
	}
}

static void splitting(void **state)
{
	static const struct { const char *text; size_t first; } row[] = {
		{ "", 0 },
		{ "a: 1\n", 5 },
		{ "a: 1\n---\nb: 2\n", 5 },
		{ "---\na: 1\n---\nb: 2\n", 9 },
		{ "# x\n\n%YAML 1.2\n---\na: 1\n---\n", 24 },
		{ "a: 1\n--- # x\nb: 2\n", 5 },
		{ "a: 1\n--- {b: 2}\n", 5 },
		{ "a: 1\n---", 8 },
		{ "a: 1\n---x: 2\n", 13 },
		{ "a: 1\n ---\n", 10 },
		{ "a: 1\r\n---\r\nb: 2\n", 6 },
		{ "  a: 1\n---\nb: 2\n", 7 },
		{ "---\n---\na: 1\n", 4 },
		{ "a: |\n  x\n---\n", 9 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_yaml_document_end(row[i].text,
		                                      strlen(row[i].text)),
		                 row[i].first);
}

static void empty(void **state)
{
	static const char *const yes[] = {
		"", "\n", "# x", "---\n", "--- # x\n...\n", "---\n---\n \n",
	};
	static const char *const no[] = {
		"a", "---\na", "...x\n", "--- x\n", "----\n", "%YAML 1.2\n",
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(yes); i++)
		assert_true(cx_yaml_is_empty(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < CX_COUNT(no); i++)
		assert_false(cx_yaml_is_empty(no[i], strlen(no[i])));
}

static void read_ok(const char *path, const char *text, size_t size)
{
	CX_AUTO_FREE char *json_path = cx_mem_text(path), *wanted = NULL;
	CX_AUTO_JSON json_t *value = NULL;
	CX_AUTO_BUF struct cx_buf json = { 0 };
	struct cx_err err;
	size_t wanted_size;

	memcpy(json_path + strlen(path) - 5, ".json", 5);
	wanted = corpus_load(json_path, &wanted_size);
	if (cx_yaml_parse(text, size, path, CX_YAML_DOCUMENT, &value, &err) < 0)
		fail_msg("%s", err.text);
	cx_json_write(value, &json);
	cx_buf_byte(&json, '\n');
	assert_string_equal(json.data, wanted);
}

static void read_bad(const char *path, const char *text, size_t size)
{
	json_t *value = NULL;
	struct cx_err err;

	if (cx_yaml_parse(text, size, "x", CX_YAML_DOCUMENT, &value, &err) == 0)
		fail_msg("%s was read", path);
	assert_true(cx_str_starts(err.text, "x: line "));
}

static void corpora(void **state)
{
	(void)state;
	assert_true(corpus_walk("test/data/yaml/ok", ".yaml", read_ok) > 160);
	assert_true(corpus_walk("test/data/yaml/bad", ".yaml", read_bad) > 150);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(faults),
		cmocka_unit_test(raw_nul),
		cmocka_unit_test(values),
		cmocka_unit_test(declarations),
		cmocka_unit_test(quote_it),
		cmocka_unit_test(depth),
		cmocka_unit_test(hostile),
		cmocka_unit_test(any),
		cmocka_unit_test(splitting),
		cmocka_unit_test(empty),
		cmocka_unit_test(corpora),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
