/* invisible.c - see invisible.h. */
#include "model/invisible.h"

#include "base/count.h"
#include "base/str.h"

/* From first to last, in order, none touching the next. */
static const struct {
	uint32_t first, last;
} range[] = {
	{ 0x00a0, 0x00a0 },   { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
	{ 0x0600, 0x0605 },   { 0x061c, 0x061c },   { 0x06dd, 0x06dd },
	{ 0x070f, 0x070f },   { 0x0890, 0x0891 },   { 0x08e2, 0x08e2 },
	{ 0x115f, 0x1160 },   { 0x1680, 0x1680 },   { 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },   { 0x2000, 0x200f },   { 0x2028, 0x202f },
	{ 0x205f, 0x206f },   { 0x2800, 0x2800 },   { 0x3000, 0x3000 },
	{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },   { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool cx_invisible_is(uint32_t code)
{
	for (size_t i = 0; i < CX_COUNT(range) && code >= range[i].first; i++)
		if (code <= range[i].last)
			return true;
	return false;
}

bool cx_invisible_in(const char *text)
{
	size_t size = strlen(text);

	for (size_t at = 0; at < size;) {
		size_t length = cx_str_utf8(text + at, size - at);

		if (length == 0 ||
		    cx_invisible_is(cx_str_code(text + at, length)))
			return true;
		at += length;
	}
	return false;
}

bool cx_invisible_whole(const char *text)
{
	size_t size = strlen(text);

	for (size_t at = 0; at < size;) {
		size_t length = cx_str_utf8(text + at, size - at);

		if (length == 0 ||
		    (!strchr(" \t\r\n\v\f", text[at]) &&
		     !cx_invisible_is(cx_str_code(text + at, length))))
			return false;
		at += length;
	}
	return true;
}
