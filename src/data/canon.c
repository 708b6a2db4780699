/* canon.c - see canon.h. */
#include "data/canon.h"

#include <math.h>

#include "base/mem.h"

enum { FEW_KEYS = 32 };

struct member {
	const char *key;
	size_t size;
	const json_t *value;
};

/* The shortest digits that read back as value, and the exponent of the
 * first: value == d.ddd * 10^exponent. */
struct digits {
	char text[20];
	int count, exponent;
};

/* "d.ddde-XX" to digits; trailing zeros go. */
static void take_digits(const char *text, struct digits *ret)
{
	const char *at = text;

	ret->count = 0;
	for (; *at != 'e'; at++)
		if (*at != '.')
			ret->text[ret->count++] = *at;
	while (ret->count > 1 && ret->text[ret->count - 1] == '0')
		ret->count--;
	ret->exponent = (int)strtol(at + 1, NULL, 10);
}

static bool reads_back(const char *text, double value)
{
	double again = strtod(text, NULL);

	return again >= value && again <= value;
}

/*
 * value is finite and above 0. Fifteen digits of a normal double are always
 * the reading of their own text, so the shortest form is the fifteen without
 * their zeros where these read back, else sixteen or seventeen; subnormal
 * ones have fewer digits and are tried from one. At a power of two the gap
 * below is half of the gap above: there the next text up may read back where
 * the nearest doesn't.
 */
static void find_digits(double value, struct digits *ret)
{
	int from = isnormal(value) ? 15 : 1;
	char text[40];

	for (int count = from; count <= 17; count++) {
		size_t last = count == 1 ? 0 : (size_t)count;

		snprintf(text, sizeof text, "%.*e", count - 1, value);
		if (reads_back(text, value))
			break;
		if (text[last] == '9')
			continue;
		text[last]++;
		if (reads_back(text, value))
			break;
	}
	take_digits(text, ret);
}

static void add_zeros(struct cx_buf *out, int count)
{
	while (count-- > 0)
		cx_buf_byte(out, '0');
}

/* ECMA-262, Number::toString: n is the place of the decimal point. */
static void write_digits(const struct digits *digits, struct cx_buf *out)
{
	size_t count = (size_t)digits->count;
	int n = digits->exponent + 1;

	if (n > 21 || n <= -6) {
		cx_buf_byte(out, digits->text[0]);
		if (count > 1)
			cx_buf_byte(out, '.');
		cx_buf_add(out, digits->text + 1, count - 1);
		cx_buf_print(out, "e%+d", n - 1);
	} else if (n <= 0) {
		cx_buf_add(out, "0.", 2);
		add_zeros(out, -n);
		cx_buf_add(out, digits->text, count);
	} else if (digits->count <= n) {
		cx_buf_add(out, digits->text, count);
		add_zeros(out, n - digits->count);
	} else {
		cx_buf_add(out, digits->text, (size_t)n);
		cx_buf_byte(out, '.');
		cx_buf_add(out, digits->text + n, count - (size_t)n);
	}
}

void cx_canon_number(double value, struct cx_buf *ret)
{
	struct digits digits;

	if (!isfinite(value)) {
		cx_buf_add(ret, "null", 4);
		return;
	}
	if (value < 0)
		cx_buf_byte(ret, '-');
	if (value >= 0 && value <= 0) {
		cx_buf_byte(ret, '0');
		return;
	}
	find_digits(fabs(value), &digits);
	write_digits(&digits, ret);
}

/* UTF-16 order differs from byte order in one thing: what is beyond U+FFFF
 * (lead bytes F0 to F4) comes before U+E000 to U+FFFF (EE and EF). */
static int rank(char byte)
{
	int value = (unsigned char)byte;

	if (value >= 0xf0)
		return value - 2;
	return value >= 0xee ? value + 6 : value;
}

static int compare(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	size_t shorter = a->size < b->size ? a->size : b->size;

	for (size_t i = 0; i < shorter; i++)
		if (a->key[i] != b->key[i])
			return rank(a->key[i]) - rank(b->key[i]);
	return (a->size > b->size) - (a->size < b->size);
}

static void write_members(struct member *member, size_t count,
                          struct cx_buf *out)
{
	qsort(member, count, sizeof *member, compare);
	cx_buf_byte(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i)
			cx_buf_byte(out, ',');
		cx_json_string(member[i].key, member[i].size, out);
		cx_buf_byte(out, ':');
		cx_canon_write(member[i].value, out);
	}
	cx_buf_byte(out, '}');
}

static void write_object(const json_t *value, struct cx_buf *out)
{
	union { const json_t *given; json_t *taken; } cast = { value };
	struct member few[FEW_KEYS];
	CX_AUTO_FREE struct member *many = NULL;
	struct member *member = few;
	size_t count = json_object_size(value), i = 0;
	void *at = json_object_iter(cast.taken);

	if (count > FEW_KEYS) {
		many = cx_mem_array(count, sizeof *many);
		member = many;
	}
	for (; at && i < count; i++) {
		member[i] = (struct member){
			json_object_iter_key(at), json_object_iter_key_len(at),
			json_object_iter_value(at),
		};
		at = json_object_iter_next(cast.taken, at);
	}
	write_members(member, i, out);
}

static void write_list(const json_t *list, struct cx_buf *out)
{
	size_t count = json_array_size(list);

	cx_buf_byte(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			cx_buf_byte(out, ',');
		cx_canon_write(json_array_get(list, i), out);
	}
	cx_buf_byte(out, ']');
}

/* A whole number within 2^53 is the same in both forms; beyond, it is what a
 * double makes of it, as RFC 8785 section 3.2.2.3 says. */
static void write_whole(const json_t *value, struct cx_buf *out)
{
	json_int_t number = json_integer_value(value);

	if (number >= -(1LL << 53) && number <= 1LL << 53)
		cx_json_write(value, out);
	else
		cx_canon_number((double)number, out);
}

void cx_canon_write(const json_t *value, struct cx_buf *ret)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		write_object(value, ret);
		break;
	case JSON_ARRAY:
		write_list(value, ret);
		break;
	case JSON_INTEGER:
		write_whole(value, ret);
		break;
	case JSON_STRING:
	case JSON_REAL:
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL:
		cx_json_write(value, ret);
		break;
	}
}

bool cx_canon_is(const char *text, size_t size, const json_t *value)
{
	CX_AUTO_BUF struct cx_buf canon = { 0 };

	cx_canon_write(value, &canon);
	return canon.size == size && memcmp(canon.data, text, size) == 0;
}
