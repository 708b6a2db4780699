/* punycode.c - see punycode.h. The numbers are RFC 3492's (section 5). */
#include "model/punycode.h"

#include <stdint.h>
#include <string.h>

enum {
	BASE = 36,
	T_MIN = 1,
	T_MAX = 26,
	SKEW = 38,
	DAMP = 700,
	BIAS = 72,
	FIRST = 0x80,
	LOWEST = 0xa1,      /* below it: C1 controls and the no-break space */
	HIGHEST = 0x10ffff,
	POINTS_MAX = 64,
};

static uint32_t adapt(uint32_t delta, uint32_t count, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / DAMP : delta / 2;
	delta += delta / count;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
		delta /= BASE - T_MIN;
	return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
	if (k <= bias + T_MIN)
		return T_MIN;
	return k >= bias + T_MAX ? T_MAX : k - bias;
}

static uint32_t digit_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return (uint32_t)(c - 'a');
	return c >= '0' && c <= '9' ? (uint32_t)(c - '0' + 26) : BASE;
}

/* One variable-length number, added to *i; false: malformed. The encoding of
 * a number is unique, so what decodes encodes to itself. */
static bool read_delta(const char **text, const char *end, uint32_t bias,
                       uint32_t *i)
{
	uint32_t weight = 1;

	for (uint32_t k = BASE;; k += BASE) {
		uint32_t digit = *text < end ? digit_of(*(*text)++) : BASE;
		uint32_t t = threshold(k, bias);

		if (digit >= BASE || digit > (UINT32_MAX - *i) / weight)
			return false;
		*i += digit * weight;
		if (digit < t)
			return true;
		if (weight > UINT32_MAX / (BASE - t))
			return false;
		weight *= BASE - t;
	}
}

static bool is_scalar(uint32_t point)
{
	return point >= LOWEST && point <= HIGHEST &&
	       (point < 0xd800 || point > 0xdfff);
}

bool cx_punycode_is_valid(const char *text, size_t size)
{
	const char *end = text + size;
	const char *dash = memrchr(text, '-', size);
	uint32_t count = dash ? (uint32_t)(dash - text) : 0;
	uint32_t basic = count;
	uint32_t point = FIRST;
	uint32_t bias = BIAS;
	uint32_t i = 0;

	if (dash == text)
		return false; /* no basic character, so there is no dash */
	if (dash)
		text = dash + 1;
	if (text == end)
		return false;
	while (text < end) {
		uint32_t before = i;

		if (count >= POINTS_MAX || !read_delta(&text, end, bias, &i))
			return false;
		count++;
		bias = adapt(i - before, count, count == basic + 1);
		if (i / count > HIGHEST - point)
			return false;
		point += i / count;
		i %= count;
		if (!is_scalar(point))
			return false;
		i++;
	}
	return true;
}
