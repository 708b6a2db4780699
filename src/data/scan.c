/* scan.c - see scan.h. */
#include "data/scan.h"

#include <math.h>

#include "base/count.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/place.h"
#include "data/quoted.h"

struct frame {
	json_t *container; /* borrowed: its parent or the root owns it */
	size_t key_at;     /* objects: the opening quote of the key in use */
};

enum state {
	VALUE,      /* a value must come */
	FIRST_ITEM, /* a value or ] */
	FIRST_KEY,  /* a key or } */
	KEY,        /* a key must come */
	AFTER,      /* a comma, an end, or the end of the text */
};

struct scan {
	const char *text;
	size_t size, at;
	const char *what;
	enum state state;
	json_t *root;
	struct frame frame[CX_JSON_DEPTH_MAX];
	size_t depth, containers;
	struct cx_quoted key;
	struct cx_buf key_text, value_text; /* strings that had escapes */
	struct cx_err *err;
};

/* The reference token of a key, read once more from the text. */
static void add_key(const struct scan *scan, size_t at, struct cx_buf *pointer)
{
	CX_AUTO_BUF struct cx_buf decoded = { 0 };
	CX_AUTO_FREE char *name = NULL;
	struct cx_quoted key;

	if (cx_quoted_read(scan->text, scan->size, &at, &decoded, &key))
		return;
	name = cx_mem_copy(key.text, key.size);
	cx_json_token(pointer, name);
}

/* The value that is being read, or, between values, what holds them. */
static void add_pointer(const struct scan *scan, struct cx_buf *pointer)
{
	for (size_t i = 0; i < scan->depth; i++) {
		const struct frame *frame = &scan->frame[i];
		size_t count = json_array_size(frame->container);

		if (i + 1 < scan->depth)
			count--;
		else if (scan->state != VALUE && scan->state != FIRST_ITEM)
			break;
		if (json_is_array(frame->container))
			cx_buf_print(pointer, "/%zu", count);
		else
			add_key(scan, frame->key_at, pointer);
	}
}

static int fail_at(const struct scan *scan, size_t at, const char *message)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };

	add_pointer(scan, &pointer);
	return cx_place_fail(scan->err, scan->what,
	                     cx_place_of(scan->text, scan->size, at),
	                     pointer.data ? pointer.data : "", message);
}

static int fail(const struct scan *scan, const char *message)
{
	return fail_at(scan, scan->at, message);
}

static int fail_wanted(const struct scan *scan, const char *wanted)
{
	char message[160];
	unsigned char byte;

	if (scan->at >= scan->size) {
		snprintf(message, sizeof message,
		         "the text ends where %s must come", wanted);
		return fail(scan, message);
	}
	byte = (unsigned char)scan->text[scan->at];
	if (byte > 0x20 && byte < 0x7f)
		snprintf(message, sizeof message, "%s must come here, not '%c'",
		         wanted, byte);
	else
		snprintf(message, sizeof message,
		         "%s must come here, not the byte 0x%02x", wanted,
		         byte);
	return fail(scan, message);
}

/* Puts value (owned by the call) where it belongs. */
static int attach(struct scan *scan, json_t *value)
{
	struct frame *frame;
	size_t before;

	if (scan->depth == 0) {
		scan->root = value;
		scan->state = AFTER;
		return 0;
	}
	frame = &scan->frame[scan->depth - 1];
	if (json_is_array(frame->container)) {
		json_array_append_new(frame->container, value);
		scan->state = AFTER;
		return 0;
	}
	before = json_object_size(frame->container);
	json_object_setn_new_nocheck(frame->container, scan->key.text,
	                             scan->key.size, value);
	if (json_object_size(frame->container) == before)
		return fail_at(scan, frame->key_at, "this key stands twice");
	scan->state = AFTER;
	return 0;
}

static int open_container(struct scan *scan, json_t *made, enum state next)
{
	const char *wrong = NULL;

	if (scan->depth == CX_JSON_DEPTH_MAX)
		wrong = "nested deeper than 64";
	else if (++scan->containers > CX_JSON_CONTAINERS_MAX)
		wrong = "more than 1,048,576 objects and lists";
	if (wrong) {
		json_decref(made);
		return fail(scan, wrong);
	}
	scan->at++;
	if (attach(scan, made) < 0)
		return -1;
	scan->frame[scan->depth++] = (struct frame){ made, 0 };
	scan->state = next;
	return 0;
}

static int read_string(struct scan *scan)
{
	struct cx_quoted string;
	const char *wrong;

	wrong = cx_quoted_read(scan->text, scan->size, &scan->at,
	                       &scan->value_text, &string);
	if (wrong)
		return fail(scan, wrong);
	return attach(scan, json_stringn_nocheck(string.text, string.size));
}

static size_t digits_end(const struct scan *scan, size_t at)
{
	while (at < scan->size && scan->text[at] >= '0' &&
	       scan->text[at] <= '9')
		at++;
	return at;
}

static bool stands(const struct scan *scan, size_t at, const char *set)
{
	return at < scan->size && memchr(set, scan->text[at], strlen(set));
}

/* The end of a real's fraction and exponent from at; 0 where digits lack. */
static size_t real_end(const struct scan *scan, size_t at)
{
	size_t from;

	if (stands(scan, at, ".")) {
		from = at + 1;
		at = digits_end(scan, from);
		if (at == from)
			return 0;
	}
	if (stands(scan, at, "eE")) {
		from = at + 1 + stands(scan, at + 1, "+-");
		at = digits_end(scan, from);
		if (at == from)
			return 0;
	}
	return at;
}

static int read_real(struct scan *scan, size_t end)
{
	double value;

	cx_buf_clear(&scan->value_text);
	cx_buf_add(&scan->value_text, scan->text + scan->at, end - scan->at);
	value = strtod(scan->value_text.data, NULL);
	if (isinf(value))
		return fail(scan, "a number beyond what a double holds");
	scan->at = end;
	return attach(scan, json_real(value));
}

static int read_whole(struct scan *scan, size_t end, bool negative)
{
	json_int_t value = 0;

	for (size_t at = scan->at + negative; at < end; at++) {
		json_int_t digit = scan->text[at] - '0';

		if (negative)
			digit = -digit;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return fail(scan, "a whole number beyond 2^63; write "
			            "it as a text");
	}
	scan->at = end;
	return attach(scan, json_integer(value));
}

static int read_number(struct scan *scan)
{
	bool negative = scan->text[scan->at] == '-';
	size_t from = scan->at + negative;
	size_t whole = digits_end(scan, from), end;

	if (whole == from)
		return fail(scan, "digits must follow the minus sign");
	if (whole - from > 1 && scan->text[from] == '0')
		return fail(scan, "a number can't begin with 0");
	end = real_end(scan, whole);
	if (end == 0)
		return fail(scan, "digits are missing in this number");
	if (end == whole)
		return read_whole(scan, end, negative);
	return read_real(scan, end);
}

static int read_word(struct scan *scan)
{
	static const struct { const char *text; json_type type; } word[] = {
		{ "true", JSON_TRUE },
		{ "false", JSON_FALSE },
		{ "null", JSON_NULL },
	};
	size_t left = scan->size - scan->at;

	for (size_t i = 0; i < CX_COUNT(word); i++) {
		size_t length = strlen(word[i].text);

		if (left < length ||
		    memcmp(scan->text + scan->at, word[i].text, length) != 0)
			continue;
		scan->at += length;
		if (word[i].type == JSON_NULL)
			return attach(scan, json_null());
		return attach(scan, json_boolean(word[i].type == JSON_TRUE));
	}
	return fail_wanted(scan, "a value");
}

static int read_value(struct scan *scan)
{
	char c = scan->at < scan->size ? scan->text[scan->at] : '\0';

	if (c == '"')
		return read_string(scan);
	if (c == '{')
		return open_container(scan, json_object(), FIRST_KEY);
	if (c == '[')
		return open_container(scan, json_array(), FIRST_ITEM);
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(scan);
	return read_word(scan);
}

static void skip_white(struct scan *scan)
{
	while (scan->at < scan->size) {
		char c = scan->text[scan->at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		scan->at++;
	}
}

static int read_key(struct scan *scan)
{
	struct frame *frame = &scan->frame[scan->depth - 1];
	const char *wrong;

	if (!stands(scan, scan->at, "\""))
		return fail_wanted(scan, "a key in double quotes");
	frame->key_at = scan->at;
	wrong = cx_quoted_read(scan->text, scan->size, &scan->at,
	                       &scan->key_text, &scan->key);
	if (wrong)
		return fail(scan, wrong);
	skip_white(scan);
	scan->state = VALUE;
	if (!stands(scan, scan->at, ":"))
		return fail_wanted(scan, "a colon");
	scan->at++;
	return 0;
}

static int read_after(struct scan *scan)
{
	bool list = json_is_array(scan->frame[scan->depth - 1].container);

	if (stands(scan, scan->at, ",")) {
		scan->at++;
		scan->state = list ? VALUE : KEY;
		return 0;
	}
	if (stands(scan, scan->at, list ? "]" : "}")) {
		scan->at++;
		scan->depth--;
		return 0;
	}
	return fail_wanted(scan, list ? "a comma or ]" : "a comma or }");
}

static int step(struct scan *scan)
{
	switch (scan->state) {
	case VALUE:
		return read_value(scan);
	case FIRST_ITEM:
		if (!stands(scan, scan->at, "]"))
			return read_value(scan);
		scan->state = AFTER;
		return 0;
	case FIRST_KEY:
		if (!stands(scan, scan->at, "}"))
			return read_key(scan);
		scan->state = AFTER;
		return 0;
	case KEY:
		return read_key(scan);
	case AFTER:
		return read_after(scan);
	}
	return -1;
}

static int scan_all(struct scan *scan)
{
	if (scan->size >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
		return fail(scan, "begins with a byte-order mark; remove it");
	skip_white(scan);
	if (scan->at == scan->size)
		return cx_err_set(scan->err, CX_E_INPUT_INVALID,
		                  "%.200s: line 1, column 1: it is empty",
		                  scan->what);
	do {
		if (step(scan) < 0)
			return -1;
		skip_white(scan);
	} while (scan->depth || scan->state != AFTER);
	if (scan->at < scan->size)
		return fail(scan, "more text after the end of the value");
	return 0;
}

int cx_scan_text(const char *text, size_t size, const char *what,
                 json_t **ret_value, struct cx_err *err)
{
	struct scan scan = {
		.text = text, .size = size, .what = what, .err = err,
	};
	int done = scan_all(&scan);

	cx_buf_done(&scan.key_text);
	cx_buf_done(&scan.value_text);
	if (done < 0)
		json_decref(scan.root);
	else
		*ret_value = scan.root;
	return done;
}
