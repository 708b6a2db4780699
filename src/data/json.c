/* json.c - see json.h; reading is scan.c's. */
#include "data/json.h"

#include <errno.h>
#include <math.h>

#include "base/b64.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/str.h"
#include "data/canon.h"
#include "data/opaque.h"
#include "data/quoted.h"
#include "data/scan.h"

#define KEY_COLOUR "\033[34;1m"
#define TEXT_COLOUR "\033[32m"
#define PLAIN "\033[0m"

enum { POUR_BYTES = 64 * 1024, PIECE_BYTES = 32 * 1024 };

struct style {
	bool pretty;  /* indented, controls escaped */
	bool colour;
	bool pours;   /* what is written goes on to fd, a part at a time */
	int fd;
	int error;    /* errno of the first write that failed */
};

static void *take_memory(size_t size)
{
	return cx_mem_grow(NULL, size, 1);
}

void cx_json_start(void)
{
	struct cx_err unused;
	size_t seed = 0;

	json_set_alloc_funcs(take_memory, free);
	if (cx_rand_fill(&seed, sizeof seed, &unused) == 0 && seed)
		json_object_seed(seed);
}

void cx_json_free_at(json_t **value)
{
	json_decref(*value);
}

int cx_json_parse(const char *text, size_t size, const char *what,
                  json_t **ret_value, struct cx_err *err)
{
	return cx_scan_text(text, size, what, ret_value, err);
}

/* The letter of JSON's short escape for byte, 0 when it has none. */
static char short_escape(unsigned char byte)
{
	switch (byte) {
	case '"': return '"';
	case '\\': return '\\';
	case '\b': return 'b';
	case '\f': return 'f';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	default: return '\0';
	}
}

static void write_escape(const char *at, size_t length, struct cx_buf *out)
{
	char letter = short_escape((unsigned char)*at);

	if (letter) {
		cx_buf_byte(out, '\\');
		cx_buf_byte(out, letter);
	} else {
		cx_buf_print(out, "\\u%04x", cx_str_code(at, length));
	}
}

/* Length of the run at text that needs no escape in a pipe. */
static size_t plain_run(const char *text, size_t size)
{
	size_t at = 0;

	for (;;) {
		at += cx_quoted_span(text + at, size - at);
		if (at == size || (unsigned char)text[at] < 0x80)
			return at;
		at++;
	}
}

/* The same for a terminal, where controls of every sort are escaped. */
static size_t harmless_run(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t length = cx_str_utf8(text + at, size - at);

		if (text[at] == '"' || text[at] == '\\' ||
		    cx_str_is_control(text + at, length))
			return at;
		at += length;
	}
	return at;
}

static void pour(struct style *style, struct cx_buf *out)
{
	if (!style->error && cx_fd_write(style->fd, out->data, out->size) < 0)
		style->error = errno;
	cx_buf_clear(out);
}

/* A run that may be long. */
static void add_run(const char *text, size_t size, struct style *style,
                    struct cx_buf *out)
{
	while (style->pours && size > PIECE_BYTES) {
		cx_buf_add(out, text, PIECE_BYTES);
		text += PIECE_BYTES;
		size -= PIECE_BYTES;
		if (out->size >= POUR_BYTES)
			pour(style, out);
	}
	cx_buf_add(out, text, size);
	if (style->pours && out->size >= POUR_BYTES)
		pour(style, out);
}

static void write_string(const char *text, size_t size, struct style *style,
                         struct cx_buf *out)
{
	size_t at = 0, length;

	cx_buf_byte(out, '"');
	for (;;) {
		length = style->pretty ? harmless_run(text + at, size - at)
		                       : plain_run(text + at, size - at);
		add_run(text + at, length, style, out);
		at += length;
		if (at == size)
			break;
		length = cx_str_utf8(text + at, size - at);
		write_escape(text + at, length, out);
		at += length;
	}
	cx_buf_byte(out, '"');
}

static void write_coloured(const char *text, size_t size, const char *colour,
                           struct style *style, struct cx_buf *out)
{
	if (style->colour)
		cx_buf_text(out, colour);
	write_string(text, size, style, out);
	if (style->colour)
		cx_buf_text(out, PLAIN);
}

static void write_whole(json_int_t number, struct cx_buf *out)
{
	char digit[24], *at = digit + sizeof digit;
	bool negative = number < 0;

	do {
		int last = (int)(number % 10);

		*--at = (char)('0' + (negative ? -last : last));
		number /= 10;
	} while (number);
	if (negative)
		*--at = '-';
	cx_buf_add(out, at, (size_t)(digit + sizeof digit - at));
}

/*
 * Shortest form, except from 2^63 to 10^21: there it has neither point nor
 * exponent, and whoever reads it (we, too) would take it for a whole number
 * that is too large. So "100000000000000000000" becomes "1e+20".
 */
static void write_real(double number, struct cx_buf *out)
{
	size_t from = out->size, digits, length;
	char *text;

	cx_canon_number(number, out);
	if (fabs(number) < 0x1p63 || fabs(number) >= 1e21)
		return;
	text = out->data + from + (number < 0);
	length = digits = strlen(text);
	while (digits > 1 && text[digits - 1] == '0')
		digits--;
	if (digits > 1) {
		memmove(text + 2, text + 1, digits - 1);
		text[1] = '.';
		digits++;
	}
	out->size = (size_t)(text + digits - out->data);
	cx_buf_print(out, "e+%zu", length - 1);
}

static void new_line(struct style *style, size_t depth,
                     struct cx_buf *out)
{
	if (!style->pretty)
		return;
	cx_buf_byte(out, '\n');
	for (size_t i = 0; i < depth; i++)
		cx_buf_add(out, "  ", 2);
}

static void write_value(const json_t *value, struct style *style,
                        size_t depth, struct cx_buf *out);

static void write_list(const json_t *list, struct style *style,
                       size_t depth, struct cx_buf *out)
{
	size_t count = json_array_size(list);

	cx_buf_byte(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			cx_buf_byte(out, ',');
		new_line(style, depth + 1, out);
		write_value(json_array_get(list, i), style, depth + 1, out);
	}
	if (count)
		new_line(style, depth, out);
	cx_buf_byte(out, ']');
}

/* jansson's iterators take a pointer to non-const, and change nothing. */
static json_t *loose(const json_t *value)
{
	union { const json_t *given; json_t *taken; } cast = { value };

	return cast.taken;
}

static void write_object(const json_t *value, struct style *style,
                         size_t depth, struct cx_buf *out)
{
	json_t *object = loose(value);
	void *at = json_object_iter(object);

	cx_buf_byte(out, '{');
	for (bool first = true; at; first = false) {
		if (!first)
			cx_buf_byte(out, ',');
		new_line(style, depth + 1, out);
		write_coloured(json_object_iter_key(at),
		               json_object_iter_key_len(at), KEY_COLOUR,
		               style, out);
		cx_buf_add(out, ": ", style->pretty ? 2 : 1);
		write_value(json_object_iter_value(at), style, depth + 1, out);
		at = json_object_iter_next(object, at);
	}
	if (json_object_size(object))
		new_line(style, depth, out);
	cx_buf_byte(out, '}');
}

static void write_value(const json_t *value, struct style *style,
                        size_t depth, struct cx_buf *out)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		write_object(value, style, depth, out);
		break;
	case JSON_ARRAY:
		write_list(value, style, depth, out);
		break;
	case JSON_STRING:
		write_coloured(json_string_value(value),
		               json_string_length(value), TEXT_COLOUR, style,
		               out);
		break;
	case JSON_INTEGER:
		write_whole(json_integer_value(value), out);
		break;
	case JSON_REAL:
		write_real(json_real_value(value), out);
		break;
	case JSON_TRUE:
		cx_buf_add(out, "true", 4);
		break;
	case JSON_FALSE:
		cx_buf_add(out, "false", 5);
		break;
	case JSON_NULL:
		cx_buf_add(out, "null", 4);
		break;
	}
}

void cx_json_write(const json_t *value, struct cx_buf *ret)
{
	struct style compact = { .pretty = false };

	write_value(value, &compact, 0, ret);
}

void cx_json_pretty(const json_t *value, bool colour, struct cx_buf *ret)
{
	struct style style = { .pretty = true, .colour = colour };

	write_value(value, &style, 0, ret);
}

void cx_json_string(const char *text, size_t size, struct cx_buf *ret)
{
	struct style compact = { .pretty = false };

	write_string(text, size, &compact, ret);
}

int cx_json_pour(const json_t *value, bool pretty, bool colour, int fd)
{
	struct style style = {
		.pretty = pretty, .colour = colour, .pours = true, .fd = fd,
	};
	CX_AUTO_BUF struct cx_buf text = { 0 };

	write_value(value, &style, 0, &text);
	cx_buf_byte(&text, '\n');
	pour(&style, &text);
	errno = style.error;
	return style.error ? -1 : 0;
}

void cx_json_token(struct cx_buf *pointer, const char *name)
{
	cx_buf_byte(pointer, '/');
	for (; *name; name++) {
		if (*name == '~')
			cx_buf_add(pointer, "~0", 2);
		else if (*name == '/')
			cx_buf_add(pointer, "~1", 2);
		else
			cx_buf_byte(pointer, *name);
	}
}

const char *cx_json_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

int64_t cx_json_number(const json_t *object, const char *name,
                       int64_t fallback)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? json_integer_value(value) : fallback;
}

bool cx_json_is_true(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

json_t *cx_json_repaired(const char *data, size_t size)
{
	return cx_opaque_text(data, size);
}

void cx_json_set_bytes(json_t *object, const char *name, const char *data,
                       size_t size)
{
	CX_AUTO_BUF struct cx_buf coded = { 0 };
	CX_AUTO_FREE char *other = NULL;

	json_object_set_new(object, name, cx_json_repaired(data, size));
	if (!memchr(data, '\0', size) && cx_str_utf8_all(data, size, NULL))
		return;
	other = cx_mem_print("%sBase64", name);
	cx_b64_write(CX_B64_PADDED, data, size, &coded);
	json_object_set_new(object, other,
	                    json_stringn_nocheck(coded.data, coded.size));
}
