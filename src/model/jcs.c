/* jcs.c - see jcs.h. */
#include "model/jcs.h"

enum { NUMBER_DIGITS = 16 };

bool cx_jcs_take(struct cx_jcs *reader, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(reader->end - reader->at) < length ||
	    memcmp(reader->at, literal, length) != 0)
		return false;
	reader->at += length;
	return true;
}

bool cx_jcs_sees(const struct cx_jcs *reader, char byte)
{
	return reader->at < reader->end && *reader->at == byte;
}

bool cx_jcs_ended(const struct cx_jcs *reader)
{
	return reader->at == reader->end;
}

bool cx_jcs_read_text(struct cx_jcs *reader, char *ret, size_t size)
{
	size_t used = 0;

	if (!cx_jcs_take(reader, "\""))
		return false;
	while (reader->at < reader->end) {
		char c = *reader->at++;

		if (c == '"') {
			ret[used] = '\0';
			return true;
		}
		if ((unsigned char)c < 0x20)
			return false;
		if (c == '\\') {
			if (!cx_jcs_sees(reader, '"') &&
			    !cx_jcs_sees(reader, '\\'))
				return false;
			c = *reader->at++;
		}
		if (used + 1 >= size)
			return false;
		ret[used++] = c;
	}
	return false;
}

bool cx_jcs_read_number(struct cx_jcs *reader, int64_t *ret)
{
	bool minus = cx_jcs_take(reader, "-");
	const char *start = reader->at;
	int64_t number = 0;

	while (reader->at < reader->end && *reader->at >= '0' &&
	       *reader->at <= '9') {
		if (reader->at - start >= NUMBER_DIGITS)
			return false;
		number = number * 10 + (*reader->at++ - '0');
	}
	if (reader->at == start || number > CX_JCS_NUMBER_MAX)
		return false;
	if (*start == '0' && (reader->at - start > 1 || minus))
		return false;
	*ret = minus ? -number : number;
	return true;
}

void cx_jcs_write_text(const char *text, struct cx_buf *ret)
{
	cx_buf_byte(ret, '"');
	while (*text) {
		size_t plain = strcspn(text, "\"\\");

		cx_buf_add(ret, text, plain);
		text += plain;
		if (*text) {
			cx_buf_byte(ret, '\\');
			cx_buf_byte(ret, *text++);
		}
	}
	cx_buf_byte(ret, '"');
}

void cx_jcs_write_number(int64_t number, struct cx_buf *ret)
{
	char digit[24];
	size_t at = sizeof digit;
	uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	do {
		digit[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (number < 0)
		digit[--at] = '-';
	cx_buf_add(ret, digit + at, sizeof digit - at);
}
