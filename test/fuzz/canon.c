/*
 * canon.c - eight bytes at a time as a double: its text reads back as the
 * same double, no text with fewer digits does, and of those with as many none
 * is nearer.
 */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "data/canon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static bool same(double a, double b)
{
	return a >= b && a <= b;
}

/* Significant digits: without sign, point, exponent and zeros at either
 * end. */
static int digits(const char *text)
{
	int count = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text == '-' || *text == '.' || (*text == '0' && !count))
			continue;
		count++;
		zeros = *text == '0' ? zeros + 1 : 0;
	}
	return count - zeros;
}

static void check(double value)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	char other[40];
	int count;

	cx_canon_number(value, &text);
	demand(same(strtod(text.data, NULL), value));
	count = digits(text.data);
	demand(count <= 17);
	if (count > 1) {
		snprintf(other, sizeof other, "%.*e", count - 2, value);
		demand(!same(strtod(other, NULL), value));
	}
	if (count > 0) {
		snprintf(other, sizeof other, "%.*e", count - 1, value);
		demand(!same(strtod(other, NULL), value) ||
		       same(strtod(other, NULL), strtod(text.data, NULL)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (; size >= sizeof(double); size -= sizeof(double)) {
		double value;

		memcpy(&value, data, sizeof value);
		data += sizeof value;
		if (isfinite(value))
			check(value);
	}
	return 0;
}
