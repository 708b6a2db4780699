/* margin.c - see margin.h. */
#include "model/margin.h"

#include "base/str.h"

static void add_number(struct cx_buf *line, const char *before,
                       uint64_t number)
{
	char digit[20];
	size_t at = sizeof digit;

	do {
		digit[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	cx_buf_text(line, before);
	cx_buf_add(line, digit + at, sizeof digit - at);
}

bool cx_margin_is_key(const char *text)
{
	return strlen(text) <= CX_MARGIN_KEY_MAX &&
	       cx_str_only(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                         "abcdefghijklmnopqrstuvwxyz"
	                         "0123456789._:/-");
}

uint64_t cx_margin_day(const char *at)
{
	uint64_t day = 0;

	for (size_t i = 0; i < 10 && at[i]; i++)
		if (at[i] != '-')
			day = day * 10 + (uint64_t)(at[i] - '0');
	return day;
}

void cx_margin_write(const struct cx_margin *margin, struct cx_buf *ret)
{
	cx_buf_room(ret, CX_MARGIN_MAX);
	cx_buf_text(ret, "{\"at\":\"");
	cx_buf_text(ret, margin->at);
	cx_buf_byte(ret, '"');
	if (margin->gap > 0)
		add_number(ret, ",\"gap\":", margin->gap);
	cx_buf_text(ret, ",\"idempotencyKey\":\"");
	cx_buf_text(ret, margin->key);
	add_number(ret, "\",\"index\":", margin->index);
	if (margin->suppressed > 0)
		add_number(ret, ",\"suppressed\":", margin->suppressed);
	cx_buf_byte(ret, '}');
}

static bool skip(const char **at, const char *literal)
{
	size_t length = strlen(literal);

	if (strncmp(*at, literal, length) != 0)
		return false;
	*at += length;
	return true;
}

static bool read_number(const char **at, uint64_t *ret)
{
	uint64_t number = 0;
	const char *from = *at;

	while (**at >= '0' && **at <= '9') {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(**at - '0'),
		                           &number))
			return false;
		++*at;
	}
	*ret = number;
	return *at > from;
}

static bool read_key(const char **at, char *ret_key)
{
	size_t length = strcspn(*at, "\"");

	if (length > CX_MARGIN_KEY_MAX)
		return false;
	memcpy(ret_key, *at, length);
	ret_key[length] = '\0';
	*at += length;
	return cx_margin_is_key(ret_key);
}

/* 0 stands for a digit. */
static bool read_time(const char **at, char *ret_at)
{
	static const char form[CX_MARGIN_AT] = "0000-00-00T00:00:00.000Z";

	for (size_t i = 0; form[i]; i++) {
		char c = (*at)[i];

		if (form[i] == '0' ? c < '0' || c > '9' : c != form[i])
			return false;
	}
	memcpy(ret_at, *at, CX_MARGIN_AT - 1);
	ret_at[CX_MARGIN_AT - 1] = '\0';
	*at += CX_MARGIN_AT - 1;
	return true;
}

static bool read_all(const char *at, struct cx_margin *ret)
{
	if (!skip(&at, "{\"at\":\"") || !read_time(&at, ret->at) ||
	    !skip(&at, "\""))
		return false;
	if (skip(&at, ",\"gap\":") && !read_number(&at, &ret->gap))
		return false;
	if (!skip(&at, ",\"idempotencyKey\":\"") ||
	    !read_key(&at, ret->key) || !skip(&at, "\",\"index\":") ||
	    !read_number(&at, &ret->index))
		return false;
	if (skip(&at, ",\"suppressed\":") &&
	    !read_number(&at, &ret->suppressed))
		return false;
	return skip(&at, "}") && *at == '\0';
}

bool cx_margin_read(const char *line, size_t size, struct cx_margin *ret)
{
	char text[CX_MARGIN_MAX + 1];
	CX_AUTO_BUF struct cx_buf again = { 0 };

	if (size > CX_MARGIN_MAX)
		return false;
	memcpy(text, line, size);
	text[size] = '\0';
	*ret = (struct cx_margin){ 0 };
	if (!read_all(text, ret))
		return false;
	cx_margin_write(ret, &again);
	return again.size == size && memcmp(again.data, line, size) == 0;
}
