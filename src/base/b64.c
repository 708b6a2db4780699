/* b64.c - see b64.h. */
#include "base/b64.h"

#include <stdint.h>

static const char alphabet[2][65] = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

/* What a character stands for, and in which forms: 0 in none. */
enum { IN_PADDED = 0x80, IN_URL = 0x40, SIX = 0x3f };
#define B(letter, six) [letter] = IN_PADDED | IN_URL | (six)
static const uint8_t meaning[256] = {
	B('A', 0), B('B', 1), B('C', 2), B('D', 3),
	B('E', 4), B('F', 5), B('G', 6), B('H', 7),
	B('I', 8), B('J', 9), B('K', 10), B('L', 11),
	B('M', 12), B('N', 13), B('O', 14), B('P', 15),
	B('Q', 16), B('R', 17), B('S', 18), B('T', 19),
	B('U', 20), B('V', 21), B('W', 22), B('X', 23),
	B('Y', 24), B('Z', 25), B('a', 26), B('b', 27),
	B('c', 28), B('d', 29), B('e', 30), B('f', 31),
	B('g', 32), B('h', 33), B('i', 34), B('j', 35),
	B('k', 36), B('l', 37), B('m', 38), B('n', 39),
	B('o', 40), B('p', 41), B('q', 42), B('r', 43),
	B('s', 44), B('t', 45), B('u', 46), B('v', 47),
	B('w', 48), B('x', 49), B('y', 50), B('z', 51),
	B('0', 52), B('1', 53), B('2', 54), B('3', 55),
	B('4', 56), B('5', 57), B('6', 58), B('7', 59),
	B('8', 60), B('9', 61),
	['+'] = IN_PADDED | 62, ['/'] = IN_PADDED | 63,
	['-'] = IN_URL | 62, ['_'] = IN_URL | 63,
};
#undef B

/* 1 to 3 bytes as 4 characters, "=" where there is nothing. */
static void write_quad(const char *letter, const uint8_t *byte, size_t left,
                       char quad[4])
{
	uint32_t word = (uint32_t)byte[0] << 16;

	if (left > 1)
		word |= (uint32_t)byte[1] << 8;
	if (left > 2)
		word |= byte[2];
	quad[0] = letter[word >> 18];
	quad[1] = letter[word >> 12 & SIX];
	quad[2] = left > 1 ? letter[word >> 6 & SIX] : '=';
	quad[3] = left > 2 ? letter[word & SIX] : '=';
}

void cx_b64_write(enum cx_b64_form form, const void *data, size_t size,
                  struct cx_buf *ret)
{
	const uint8_t *byte = data;
	char *at = cx_buf_room(ret, (size + 2) / 3 * 4);
	size_t tail = size % 3;

	for (size_t i = 0; i < size; i += 3, at += 4)
		write_quad(alphabet[form], byte + i, size - i, at);
	ret->size += (size + 2) / 3 * 4;
	if (form == CX_B64_URL && tail)
		ret->size -= 3 - tail;
	ret->data[ret->size] = '\0';
}

static uint32_t read_quad(const uint8_t *at, uint8_t *every)
{
	const uint8_t a = meaning[at[0]], b = meaning[at[1]];
	const uint8_t c = meaning[at[2]], d = meaning[at[3]];

	*every &= a & b & c & d;
	return (uint32_t)(a & SIX) << 18 | (uint32_t)(b & SIX) << 12 |
	       (uint32_t)(c & SIX) << 6 | (d & SIX);
}

/* The 0, 2 or 3 characters behind the quads; no bit of them may be spare. */
static bool read_tail(const uint8_t *at, size_t left, uint8_t *out,
                      size_t *size, uint8_t *every)
{
	uint8_t quad[4] = { 'A', 'A', 'A', 'A' };
	uint32_t word;

	if (left < 2)
		return left == 0;
	memcpy(quad, at, left);
	word = read_quad(quad, every);
	out[0] = (uint8_t)(word >> 16);
	if (left == 3)
		out[1] = (uint8_t)(word >> 8);
	*size += left - 1;
	return (word & (left == 3 ? 0xff : 0xffff)) == 0;
}

bool cx_b64_decode(enum cx_b64_form form, const char *text, size_t length,
                   void *ret, size_t *ret_size)
{
	uint8_t every = form == CX_B64_URL ? IN_URL : IN_PADDED;
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *last = at + length / 4 * 4;
	uint8_t *out = ret;
	uint32_t word;

	for (; at < last; at += 4, out += 3) {
		word = read_quad(at, &every);
		out[0] = (uint8_t)(word >> 16);
		out[1] = (uint8_t)(word >> 8);
		out[2] = (uint8_t)word;
	}
	*ret_size = (size_t)(out - (uint8_t *)ret);
	return read_tail(at, length % 4, out, ret_size, &every) && every;
}

bool cx_b64_read(enum cx_b64_form form, const char *text, size_t length,
                 struct cx_buf *ret)
{
	size_t size;

	if (form == CX_B64_PADDED) {
		size_t padded = length;

		if (length % 4)
			return false;
		while (length > 0 && padded - length < 2 &&
		       text[length - 1] == '=')
			length--;
	}
	if (!cx_b64_decode(form, text, length,
	                   cx_buf_room(ret, CX_B64_ROOM(length)), &size))
		return false;
	ret->size += size;
	ret->data[ret->size] = '\0';
	return true;
}
