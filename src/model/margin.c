/* margin.c - see margin.h. */
#include "model/margin.h"

#include "base/str.h"
#include "model/jcs.h"

static void add_number(struct cx_buf *line, const char *before,
                       uint64_t number)
{
	cx_buf_text(line, before);
	cx_jcs_write_number((int64_t)number, line);
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

static bool read_number(struct cx_jcs *in, uint64_t *ret)
{
	int64_t number;

	if (!cx_jcs_read_number(in, &number) || number < 0)
		return false;
	*ret = (uint64_t)number;
	return true;
}

/* 0 stands for a digit. */
static bool is_time(const char *at)
{
	static const char form[CX_MARGIN_AT] = "0000-00-00T00:00:00.000Z";

	for (size_t i = 0; i < sizeof form; i++)
		if (form[i] == '0' ? at[i] < '0' || at[i] > '9'
		                   : at[i] != form[i])
			return false;
	return true;
}

static bool read_all(struct cx_jcs *in, struct cx_margin *ret)
{
	if (!cx_jcs_take(in, "{\"at\":") ||
	    !cx_jcs_read_text(in, ret->at, sizeof ret->at) ||
	    !is_time(ret->at))
		return false;
	if (cx_jcs_take(in, ",\"gap\":") && !read_number(in, &ret->gap))
		return false;
	if (!cx_jcs_take(in, ",\"idempotencyKey\":") ||
	    !cx_jcs_read_text(in, ret->key, sizeof ret->key) ||
	    !cx_margin_is_key(ret->key) ||
	    !cx_jcs_take(in, ",\"index\":") || !read_number(in, &ret->index))
		return false;
	if (cx_jcs_take(in, ",\"suppressed\":") &&
	    !read_number(in, &ret->suppressed))
		return false;
	return cx_jcs_take(in, "}") && cx_jcs_ended(in);
}

bool cx_margin_read(const char *line, size_t size, struct cx_margin *ret)
{
	struct cx_jcs in = { line, line + size };
	CX_AUTO_BUF struct cx_buf again = { 0 };

	*ret = (struct cx_margin){ 0 };
	if (size > CX_MARGIN_MAX || !read_all(&in, ret))
		return false;
	cx_margin_write(ret, &again);
	return again.size == size && memcmp(again.data, line, size) == 0;
}
