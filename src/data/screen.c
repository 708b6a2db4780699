/* screen.c - see screen.h. */
#include "data/screen.h"

#include "base/str.h"
#include "data/place.h"

enum { STEP = 256 };

/* Where the line's text ends. In steps, since a text whose lines all end with
 * CR has no LF, which must not be sought to its very end for each of them. */
static size_t text_end(const char *text, size_t size, size_t at)
{
	while (at < size) {
		size_t step = size - at < STEP ? size - at : STEP;
		const char *lf = memchr(text + at, '\n', step);
		const char *cr = memchr(text + at, '\r', lf ?
		                        (size_t)(lf - text) - at : step);

		if (cr || lf)
			return (size_t)((cr ? cr : lf) - text);
		at += step;
	}
	return at;
}

size_t cx_screen_line_end(const char *text, size_t size, size_t at)
{
	at = text_end(text, size, at);
	if (size - at > 1 && text[at] == '\r' && text[at + 1] == '\n')
		return at + 2;
	return at < size ? at + 1 : at;
}

size_t cx_screen_blank_end(const char *text, size_t size, size_t at)
{
	while (at < size) {
		char c = text[at];

		if (c == '#')
			at = cx_screen_line_end(text, size, at);
		else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			at++;
		else
			break;
	}
	return at;
}

static const char *code_fault(uint32_t code)
{
	if (code == 0x85 || code == 0x2028 || code == 0x2029)
		return "a line separator (U+0085, U+2028, U+2029) that YAML "
		       "1.1 and 1.2 read differently; write it as an escape "
		       "in double quotes";
	if (code == 0xfeff)
		return "a byte-order mark; remove it";
	if (code < 0xa0 || code == 0xfffe || code == 0xffff)
		return "a control character; write it as an escape in double "
		       "quotes";
	return NULL;
}

/* What is wrong with the character at text; *ret_length is its length. */
static const char *character_fault(const char *text, size_t size,
                                   size_t *ret_length)
{
	unsigned char byte = (unsigned char)*text;

	*ret_length = 1;
	if (byte == 0)
		return "a NUL byte";
	if ((byte >= 0x20 && byte < 0x7f) || memchr("\t\n\r", byte, 3))
		return NULL;
	*ret_length = cx_str_utf8(text, size);
	if (*ret_length == 0)
		return "invalid UTF-8";
	return code_fault(cx_str_code(text, *ret_length));
}

static int check_directives(const char *text, size_t size, const char *what,
                            struct cx_err *err)
{
	static const char version[] = "%YAML 1.2";
	size_t length = sizeof version - 1;
	size_t at = cx_screen_blank_end(text, size, 0), end;

	if (size - at >= length && memcmp(text + at, version, length) == 0) {
		end = cx_screen_line_end(text, size, at);
		length += strspn(text + at + length, " \t");
		if (at + length < size && !strchr("\r\n#", text[at + length]))
			return cx_place_fail(err, what,
			                     cx_place_of(text, size, at), "",
			                     "only YAML 1.2 is read");
		at = cx_screen_blank_end(text, size, end);
	}
	if (at < size && text[at] == '%')
		return cx_place_fail(err, what, cx_place_of(text, size, at),
		                     "", "directives (%) are refused, except "
		                     "one %YAML 1.2 at the beginning");
	return 0;
}

int cx_screen_text(const char *text, size_t size, const char *what,
                   struct cx_err *err)
{
	size_t length;

	for (size_t at = 0; at < size; at += length) {
		const char *wrong = character_fault(text + at, size - at,
		                                    &length);

		if (wrong)
			return cx_place_fail(err, what,
			                     cx_place_of(text, size, at), "",
			                     wrong);
	}
	return check_directives(text, size, what, err);
}
