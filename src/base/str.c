/* str.c - see str.h. */
#include "base/str.h"

#include <stdint.h>

bool cx_str_same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool cx_str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool cx_str_ends(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

bool cx_str_only(const char *text, const char *set)
{
	return *text && text[strspn(text, set)] == '\0';
}

static size_t lead_length(unsigned char lead, unsigned char *ret_low,
                          unsigned char *ret_high)
{
	*ret_low = 0x80;
	*ret_high = 0xbf;
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (lead == 0xe0)
			*ret_low = 0xa0;
		if (lead == 0xed)
			*ret_high = 0x9f;
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (lead == 0xf0)
			*ret_low = 0x90;
		if (lead == 0xf4)
			*ret_high = 0x8f;
		return 4;
	}
	return 0;
}

size_t cx_str_utf8(const char *data, size_t size)
{
	const unsigned char *byte = (const unsigned char *)data;
	unsigned char low, high;
	size_t length;

	if (size == 0)
		return 0;
	length = lead_length(byte[0], &low, &high);
	if (length == 0 || length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (byte[i] < low || byte[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

uint32_t cx_str_code(const char *at, size_t length)
{
	static const uint8_t mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (uint8_t)at[0] & mask[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((uint8_t)at[i] & 0x3f);
	return code;
}

bool cx_str_utf8_all(const char *data, size_t size, size_t *ret_at)
{
	size_t at = 0;

	while (at < size) {
		size_t length = cx_str_utf8(data + at, size - at);

		if (length == 0) {
			if (ret_at)
				*ret_at = at;
			return false;
		}
		at += length;
	}
	return true;
}

/* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069, U+061C, and the line
 * and paragraph separators U+2028, U+2029. */
static bool is_bidi(const unsigned char *b, size_t length)
{
	if (length == 2)
		return b[0] == 0xd8 && b[1] == 0x9c;
	if (length != 3 || b[0] != 0xe2)
		return false;
	if (b[1] == 0x80)
		return b[2] == 0x8e || b[2] == 0x8f ||
		       (b[2] >= 0xa8 && b[2] <= 0xae);
	return b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xa9;
}

bool cx_str_is_control(const char *at, size_t length)
{
	const unsigned char *byte = (const unsigned char *)at;

	if (length == 0 || byte[0] < 0x20 || byte[0] == 0x7f)
		return true;
	if (length == 2 && byte[0] == 0xc2 && byte[1] < 0xa0)
		return true;
	return is_bidi(byte, length);
}

bool cx_str_has_control(const char *text)
{
	size_t size = strlen(text);

	for (size_t at = 0; at < size;) {
		size_t length = cx_str_utf8(text + at, size - at);

		if (cx_str_is_control(text + at, length))
			return true;
		at += length;
	}
	return false;
}

size_t cx_str_utf8_cut(const char *data, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++) {
		unsigned char byte = (unsigned char)data[size - back];
		size_t needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;

		if (byte < 0x80)
			return 0;
		if (byte >= 0xc0)
			return needs > back ? back : 0;
	}
	return 0;
}
