/* b64.c - see b64.h. */
#include "base/b64.h"

#include <stdint.h>

static const char alphabet[2][65] = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

void cx_b64_write(enum cx_b64_form form, const void *data, size_t size,
                  struct cx_buf *ret)
{
	const uint8_t *b = data;
	const char *letter = alphabet[form];

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t word = (uint32_t)b[i] << 16;
		char quad[4];
		size_t used = left == 1 ? 2 : left == 2 ? 3 : 4;

		if (left > 1)
			word |= (uint32_t)b[i + 1] << 8;
		if (left > 2)
			word |= b[i + 2];
		for (size_t k = 0; k < 4; k++)
			quad[k] = k < used ? letter[word >> (18 - 6 * k) & 63]
			                   : '=';
		cx_buf_add(ret, quad, form == CX_B64_URL ? used : 4);
	}
	cx_buf_add(ret, "", 0);
}

static int value(enum cx_b64_form form, char c)
{
	const char *at = c ? strchr(alphabet[form], c) : NULL;

	return at ? (int)(at - alphabet[form]) : -1;
}

bool cx_b64_read(enum cx_b64_form form, const char *text, size_t length,
                 struct cx_buf *ret)
{
	uint32_t word = 0;
	unsigned bits = 0;

	if (form == CX_B64_PADDED) {
		size_t padded = length;

		if (length % 4)
			return false;
		while (length > 0 && padded - length < 2 &&
		       text[length - 1] == '=')
			length--;
	}
	if (length % 4 == 1)
		return false;
	for (size_t i = 0; i < length; i++) {
		int six = value(form, text[i]);

		if (six < 0)
			return false;
		word = word << 6 | (uint32_t)six;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			cx_buf_byte(ret, (char)(word >> bits & 255));
		}
	}
	cx_buf_add(ret, "", 0);
	return (word & ((1U << bits) - 1)) == 0;
}
