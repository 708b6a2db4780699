/*
 * json.c - our JSON reader against jansson's.
 *
 * Both take a text or both refuse it, and to the same value; except that
 * jansson nests deeper and passes over a NUL byte behind a number. What we
 * write reads back as what we wrote, in each of the three forms.
 */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "data/canon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

/* Of a text that we wrote. NULL for the one thing that canonical form has and
 * we don't read: a whole number beyond 2^63. */
static json_t *read_again(const struct cx_buf *text)
{
	struct cx_err err;
	json_t *value;

	if (cx_json_parse(text->data, text->size, "x", &value, &err) == 0)
		return value;
	demand(strstr(err.text, "a whole number beyond 2^63") != NULL);
	return NULL;
}

static void check_forms(const json_t *value)
{
	CX_AUTO_BUF struct cx_buf compact = { 0 }, pretty = { 0 };
	CX_AUTO_BUF struct cx_buf canon = { 0 }, again = { 0 };
	CX_AUTO_JSON json_t *first = NULL, *second = NULL, *third = NULL;

	cx_json_write(value, &compact);
	cx_json_pretty(value, false, &pretty);
	cx_canon_write(value, &canon);
	demand(cx_canon_is(canon.data, canon.size, value));
	first = read_again(&compact);
	second = read_again(&pretty);
	third = read_again(&canon);
	demand(first && second && json_equal(first, second));
	cx_json_write(first, &again);
	demand(cx_str_same(again.data, compact.data));
	if (third) {
		cx_buf_clear(&again);
		cx_canon_write(third, &again);
		demand(cx_str_same(again.data, canon.data));
	}
}

static void check_error(const struct cx_err *err)
{
	demand(err->code == CX_E_INPUT_INVALID);
	demand(cx_str_starts(err->text, "x: line "));
	demand(err->pointer[0] == '\0' || err->pointer[0] == '/');
	demand(cx_str_utf8_all(err->pointer, strlen(err->pointer), NULL));
	demand(cx_str_utf8_all(err->text, strlen(err->text), NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FREE char *text = cx_mem_copy(data, size);
	CX_AUTO_JSON json_t *ours = NULL, *theirs = NULL;
	struct cx_err err;
	json_error_t error;

	theirs = json_loadb(text, size,
	                    JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	if (cx_json_parse(text, size, "x", &ours, &err) < 0) {
		check_error(&err);
		demand(!theirs || memchr(text, 0, size) ||
		       strstr(err.text, "nested deeper than 64"));
		return 0;
	}
	demand(theirs && json_equal(ours, theirs));
	check_forms(ours);
	return 0;
}
