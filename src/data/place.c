/* place.c - see place.h. */
#include "data/place.h"

/* Bytes of the line end at the beginning of text, 0 when there is none. */
static size_t line_end(const char *text, size_t size)
{
	if (size > 1 && text[0] == '\r' && text[1] == '\n')
		return 2;
	return size && (text[0] == '\n' || text[0] == '\r');
}

static bool starts_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

struct cx_place cx_place_of(const char *text, size_t size, size_t at)
{
	struct cx_place place = { 1, 1 };

	for (size_t i = 0; i < at && i < size;) {
		size_t end = line_end(text + i, size - i);

		if (end) {
			place.line++;
			place.column = 1;
		} else if (i + 1 >= size || starts_character(text[i + 1])) {
			place.column++;
		}
		i += end ? end : 1;
	}
	return place;
}

static void put_pointer(struct cx_err *err, const char *pointer)
{
	size_t length = strlen(pointer);

	if (length >= sizeof err->pointer) {
		length = sizeof err->pointer - 1;
		while (length && pointer[length] != '/')
			length--;
	}
	memcpy(err->pointer, pointer, length);
	err->pointer[length] = '\0';
}

int cx_place_fail(struct cx_err *err, const char *what, struct cx_place place,
                  const char *pointer, const char *message)
{
	cx_err_set(err, CX_E_INPUT_INVALID, "%.200s: line %zu, column %zu: %s",
	           what, place.line, place.column, message);
	put_pointer(err, pointer);
	return -1;
}
