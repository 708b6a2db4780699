/* quoted.c - see quoted.h. */
#include "data/quoted.h"

#include <stdint.h>

#include "base/hex.h"
#include "base/str.h"

/* Four hexadecimal digits, -1 when they aren't. */
static int hex4(const char *text, size_t size)
{
	int value = 0;

	if (size < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		int digit = cx_hex_digit(text[i]);

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

static void add_utf8(struct cx_buf *out, int code)
{
	char byte[4];
	size_t size = 0;

	if (code < 0x80) {
		byte[size++] = (char)code;
	} else if (code < 0x800) {
		byte[size++] = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		byte[size++] = (char)(0xe0 | code >> 12);
		byte[size++] = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		byte[size++] = (char)(0xf0 | code >> 18);
		byte[size++] = (char)(0x80 | (code >> 12 & 0x3f));
		byte[size++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		byte[size++] = (char)(0x80 | (code & 0x3f));
	cx_buf_add(out, byte, size);
}

/* *at stands on the backslash of \uXXXX. */
static const char *unicode_escape(const char *text, size_t size, size_t *at,
                                  struct cx_buf *out)
{
	int code = hex4(text + *at + 2, size - *at - 2), low = -1;
	size_t next = *at + 6;

	if (code < 0)
		return "\\u must have four hexadecimal digits";
	if (code == 0)
		return "\\u0000 (NUL) is refused in texts";
	if (code >= 0xdc00 && code <= 0xdfff)
		return "a low surrogate without its high one";
	if (code >= 0xd800 && code <= 0xdbff) {
		if (size - next >= 2 && memcmp(text + next, "\\u", 2) == 0)
			low = hex4(text + next + 2, size - next - 2);
		if (low < 0xdc00 || low > 0xdfff)
			return "a high surrogate without its low one";
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		next += 6;
	}
	add_utf8(out, code);
	*at = next;
	return NULL;
}

static const char *escape(const char *text, size_t size, size_t *at,
                          struct cx_buf *out)
{
	static const char name[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (size - *at < 2)
		return "the text ends inside an escape";
	if (text[*at + 1] == 'u')
		return unicode_escape(text, size, at, out);
	found = memchr(name, text[*at + 1], sizeof name - 1);
	if (!found)
		return "JSON has no such escape";
	cx_buf_byte(out, means[found - name]);
	*at += 2;
	return NULL;
}

/* Any of the eight bytes is below 0x20, a quote, a backslash or above 0x7f:
 * subtracting carries into a byte's top bit exactly where it is smaller (the
 * lowest such byte is right, and one is all that is asked). */
static bool is_special(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101, tops = ones * 0x80;
	uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');

	return ((word | ((word - ones * 0x20) & ~word) |
	         ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) &
	        tops) != 0;
}

size_t cx_quoted_span(const char *text, size_t size)
{
	size_t at = 0;
	uint64_t word;

	for (; size - at >= sizeof word; at += sizeof word) {
		memcpy(&word, text + at, sizeof word);
		if (is_special(word))
			break;
	}
	while (at < size && (unsigned char)text[at] >= 0x20 &&
	       (unsigned char)text[at] < 0x80 && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	return at;
}

/* Past plain characters; stops at a quote, a backslash, or a fault. */
static size_t plain_end(const char *text, size_t size, size_t at)
{
	size_t length;

	for (;;) {
		at += cx_quoted_span(text + at, size - at);
		if (at >= size || (unsigned char)text[at] < 0x80)
			return at;
		length = cx_str_utf8(text + at, size - at);
		if (length == 0)
			return at;
		at += length;
	}
}

static const char *fault(char byte)
{
	if (byte == '\0')
		return "a NUL byte";
	if ((unsigned char)byte >= 0x80)
		return "invalid UTF-8";
	return "a control character in a text; write it as an escape";
}

const char *cx_quoted_read(const char *text, size_t size, size_t *at,
                           struct cx_buf *decoded, struct cx_quoted *ret)
{
	size_t start = *at, from = start + 1;
	bool copied = false;
	const char *wrong;

	cx_buf_clear(decoded);
	for (;;) {
		*at = plain_end(text, size, from);
		if (*at >= size) {
			*at = start;
			return "this text is never closed";
		}
		if (text[*at] != '"' && text[*at] != '\\')
			return fault(text[*at]);
		if (text[*at] == '"' && !copied)
			break;
		cx_buf_add(decoded, text + from, *at - from);
		if (text[*at] == '"')
			break;
		copied = true;
		wrong = escape(text, size, at, decoded);
		if (wrong)
			return wrong;
		from = *at;
	}
	ret->text = copied ? decoded->data : text + from;
	ret->size = copied ? decoded->size : *at - from;
	++*at;
	return NULL;
}
