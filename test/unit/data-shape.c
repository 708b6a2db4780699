/* data-shape.c - a table against values: faults, pointers, the schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/str.h"
#include "data/shape.h"

static bool is_even(const char *text)
{
	return strlen(text) % 2 == 0;
}

static const char *const words[] = { "chat", "task", NULL };

static const struct cx_shape number = { .kind = CX_SHAPE_NUMBER, .min = -1,
	.max = 9 };
static const struct cx_shape inner[] = {
	{ .name = "n", .kind = CX_SHAPE_NUMBER, .required = true },
	{ .name = NULL },
};
static const struct cx_shape members[] = {
	{ .name = "id", .kind = CX_SHAPE_TEXT, .required = true, .min = 1,
	  .max = 4, .about = "A short name." },
	{ .name = "word", .kind = CX_SHAPE_TEXT, .word = words },
	{ .name = "null", .kind = CX_SHAPE_TEXT, .word = words,
	  .nullable = true },
	{ .name = "even", .kind = CX_SHAPE_TEXT, .fits = is_even,
	  .about = "An even number of bytes." },
	{ .name = "match", .kind = CX_SHAPE_TEXT, .fits = is_even,
	  .pattern = "^(..)*$" },
	{ .name = "real", .kind = CX_SHAPE_REAL, .max = 2 },
	{ .name = "flag", .kind = CX_SHAPE_BOOL },
	{ .name = "list", .kind = CX_SHAPE_LIST, .sub = &number, .max = 2 },
	{ .name = "map", .kind = CX_SHAPE_MAP, .sub = &number },
	{ .name = "in", .kind = CX_SHAPE_OBJECT, .sub = inner },
	{ .name = "open", .kind = CX_SHAPE_OBJECT, .sub = inner, .open = true },
	{ .name = "any", .kind = CX_SHAPE_ANY },
	{ .name = NULL },
};
static const struct cx_shape shape = { .kind = CX_SHAPE_OBJECT,
	.sub = members, .about = "A sample." };

static json_t *parse(const char *text)
{
	struct cx_err err;
	json_t *value = NULL;

	if (cx_json_parse(text, strlen(text), "x", &value, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return value;
}

static const struct { const char *text, *says, *pointer; } row[] = {
	{ "{\"id\":\"a\"}", NULL, NULL },
	{ "{\"id\":\"a\",\"word\":\"chat\",\"null\":null,\"even\":\"\","
	  "\"match\":\"ab\",\"real\":1.5,\"flag\":false,\"list\":[-1,9],"
	  "\"map\":{\"x\":1},\"in\":{\"n\":1},\"open\":{\"n\":1,\"y\":[]},"
	  "\"any\":[{}]}", NULL, NULL },
	{ "[]", "must be an object", "/r" },
	{ "{}", "\"id\" is missing", "/r" },
	{ "{\"id\":1}", "must be a text", "/r/id" },
	{ "{\"id\":null}", "must be a text", "/r/id" },
	{ "{\"id\":\"\"}", "must not be empty", "/r/id" },
	{ "{\"id\":\"abcde\"}", "must have at most 4 bytes", "/r/id" },
	{ "{\"id\":\"a\",\"word\":\"Chat\"}", "must be one of: chat, task",
	  "/r/word" },
	{ "{\"id\":\"a\",\"null\":1}", "must be a text or null", "/r/null" },
	{ "{\"id\":\"a\",\"even\":\"abc\"}",
	  "isn't of the right form: An even number of bytes.", "/r/even" },
	{ "{\"id\":\"a\",\"match\":\"abc\"}", "must match ^(..)*$", "/r/match" },
	{ "{\"id\":\"a\",\"real\":2.1}", "must be from 0 to 2", "/r/real" },
	{ "{\"id\":\"a\",\"flag\":0}", "must be true or false", "/r/flag" },
	{ "{\"id\":\"a\",\"list\":[1,10]}",
	  "must be a whole number from -1 to 9", "/r/list/1" },
	{ "{\"id\":\"a\",\"list\":[1.0]}", "must be a whole number",
	  "/r/list/0" },
	{ "{\"id\":\"a\",\"list\":[1,2,3]}", "must have from 0 to 2 entries",
	  "/r/list" },
	{ "{\"id\":\"a\",\"map\":{\"a/~b\":true}}", "must be a whole number",
	  "/r/map/a~1~0b" },
	{ "{\"id\":\"a\",\"in\":{}}", "\"n\" is missing", "/r/in" },
	{ "{\"id\":\"a\",\"in\":{\"n\":1,\"m\":2}}",
	  "no such member; known here: n", "/r/in/m" },
	{ "{\"id\":\"a\",\"x-a\":1}", "no such member; known here: id, word",
	  "/r/x-a" },
};

static void rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_JSON json_t *value = parse(row[i].text);
		struct cx_err err = { 0 };
		int done = cx_shape_check(&shape, value, "/r",
		                          CX_E_CONFIG_INVALID, &err);

		assert_int_equal(done, row[i].says ? -1 : 0);
		if (!row[i].says)
			continue;
		assert_int_equal(err.code, CX_E_CONFIG_INVALID);
		if (!cx_str_starts(err.text, row[i].says))
			fail_msg("%s: %s", row[i].text, err.text);
		assert_string_equal(err.pointer, row[i].pointer);
	}
}

static void schema(void **state)
{
	CX_AUTO_JSON json_t *value = cx_shape_schema(&shape, "sample");
	CX_AUTO_BUF struct cx_buf text = { 0 };
	static const char *const parts[] = {
		"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
		"\"title\":\"sample\",\"description\":\"A sample.\","
		"\"type\":\"object\",\"properties\":{\"id\":{\"description\":"
		"\"A short name.\",\"type\":\"string\",\"minLength\":1,"
		"\"maxLength\":4},\"word\":{\"type\":\"string\",\"enum\":"
		"[\"chat\",\"task\"]}",
		"\"null\":{\"type\":[\"string\",\"null\"],\"enum\":[\"chat\","
		"\"task\",null]}",
		"\"list\":{\"type\":\"array\",\"items\":{\"type\":\"integer\","
		"\"minimum\":-1,\"maximum\":9},\"minItems\":0,\"maxItems\":2}",
		"\"map\":{\"type\":\"object\",\"additionalProperties\":{"
		"\"type\":\"integer\"",
		"\"in\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
		"\"integer\"}},\"required\":[\"n\"],\"additionalProperties\":"
		"false}",
		"\"open\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
		"\"integer\"}},\"required\":[\"n\"]}",
		"\"any\":{}",
	};

	(void)state;
	cx_json_write(value, &text);
	for (size_t i = 0; i < CX_COUNT(parts); i++)
		if (!strstr(text.data, parts[i]))
			fail_msg("%s isn't in %s", parts[i], text.data);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(schema),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
