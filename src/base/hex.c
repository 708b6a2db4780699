/* hex.c - see hex.h. */
#include "base/hex.h"

static const char digit[] = "0123456789abcdef";

void cx_hex_write(const uint8_t *data, size_t size, char *ret_text)
{
	for (size_t i = 0; i < size; i++) {
		*ret_text++ = digit[data[i] >> 4];
		*ret_text++ = digit[data[i] & 15];
	}
	*ret_text = '\0';
}

int cx_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int value(char c)
{
	return c >= 'A' && c <= 'F' ? -1 : cx_hex_digit(c);
}

bool cx_hex_read(const char *text, uint8_t *ret_data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int high = value(text[2 * i]);
		int low = high < 0 ? -1 : value(text[2 * i + 1]);

		if (low < 0)
			return false;
		ret_data[i] = (uint8_t)(high << 4 | low);
	}
	return text[2 * size] == '\0';
}
