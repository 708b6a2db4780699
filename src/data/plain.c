/* plain.c - see plain.h. */
#include "data/plain.h"

#include <math.h>

#include "base/count.h"
#include "base/hex.h"
#include "base/str.h"

enum kind { TEXT, NOTHING, YES, NO, WHOLE, REAL, ENDLESS };

static const struct { const char *text; enum kind kind; } word[] = {
	{ "", NOTHING }, { "~", NOTHING }, { "null", NOTHING },
	{ "Null", NOTHING }, { "NULL", NOTHING },
	{ "true", YES }, { "True", YES }, { "TRUE", YES },
	{ "false", NO }, { "False", NO }, { "FALSE", NO },
	{ ".inf", ENDLESS }, { ".Inf", ENDLESS }, { ".INF", ENDLESS },
	{ "+.inf", ENDLESS }, { "+.Inf", ENDLESS }, { "+.INF", ENDLESS },
	{ "-.inf", ENDLESS }, { "-.Inf", ENDLESS }, { "-.INF", ENDLESS },
	{ ".nan", ENDLESS }, { ".NaN", ENDLESS }, { ".NAN", ENDLESS },
};

/* Only 1.1 reads these as something else. */
static const char *const old_word[] = {
	"y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
	"on", "On", "ON", "off", "Off", "OFF", "<<", "=",
};

static size_t span(const char *text, const char *set)
{
	return strspn(text, set);
}

/* 0o17, 0x1F, [-+]?[0-9]+ */
static bool is_whole(const char *text)
{
	if (cx_str_starts(text, "0o"))
		return cx_str_only(text + 2, "01234567");
	if (cx_str_starts(text, "0x"))
		return cx_str_only(text + 2, "0123456789abcdefABCDEF");
	return cx_str_only(text + (*text == '-' || *text == '+'), "0123456789");
}

/* [-+]? ( \.[0-9]+ | [0-9]+ ( \.[0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_real(const char *text)
{
	const char *at = text + (*text == '-' || *text == '+');
	size_t whole = span(at, "0123456789"), part = 0;

	at += whole;
	if (*at == '.') {
		part = span(at + 1, "0123456789");
		at += 1 + part;
	}
	if (whole + part == 0)
		return false;
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
		return cx_str_only(at, "0123456789");
	}
	return *at == '\0';
}

static enum kind kind_of(const char *text)
{
	for (size_t i = 0; i < CX_COUNT(word); i++)
		if (cx_str_same(text, word[i].text))
			return word[i].kind;
	if (is_whole(text))
		return WHOLE;
	return is_real(text) ? REAL : TEXT;
}

static json_t *whole_value(const char *text, const char **ret_wrong)
{
	bool negative = *text == '-';
	json_int_t value = 0, base = 10;

	text += negative || *text == '+';
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'o')) {
		base = text[1] == 'x' ? 16 : 8;
		text += 2;
	}
	for (; *text; text++) {
		json_int_t digit = cx_hex_digit(*text);

		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit,
		                           &value)) {
			*ret_wrong = "a whole number beyond 2^63; quote it";
			return NULL;
		}
	}
	return json_integer(value);
}

static json_t *real_value(const char *text, const char **ret_wrong)
{
	double value = strtod(text, NULL);

	if (isfinite(value))
		return json_real(value);
	*ret_wrong = "a number beyond what a double holds";
	return NULL;
}

json_t *cx_plain_value(const char *text, const char **ret_wrong)
{
	switch (kind_of(text)) {
	case TEXT:
		return json_string_nocheck(text);
	case NOTHING:
		return json_null();
	case YES:
		return json_true();
	case NO:
		return json_false();
	case WHOLE:
		return whole_value(text, ret_wrong);
	case REAL:
		return real_value(text, ret_wrong);
	case ENDLESS:
		break;
	}
	*ret_wrong = "infinity and not-a-number have no JSON form; quote it";
	return NULL;
}

bool cx_plain_is_text(const char *text)
{
	return kind_of(text) == TEXT;
}

/* 0b101, 017, 0x_ff, 1_000, 1:30:00, 1_0.5, 1:30.5: digits with underscores,
 * colons and one point, as 1.1 has them. */
static bool is_old_number(const char *text)
{
	const char *at = text + (*text == '-' || *text == '+');

	if (at[0] == '0' && (at[1] == 'b' || at[1] == 'x'))
		return cx_str_only(at + 2, "0123456789abcdefABCDEF_");
	if (*at != '.' && (*at < '0' || *at > '9'))
		return false;
	if (span(at, "._") == strlen(at))
		return false;
	at += span(at, "0123456789_:.");
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
		return cx_str_only(at, "0123456789_");
	}
	return *at == '\0';
}

/* 2026-11-30, with or without a time behind it. */
static bool is_date(const char *text)
{
	const char *at = text;

	for (int part = 0; part < 3; part++) {
		size_t digits = span(at, "0123456789");

		if (part == 0 ? digits != 4 : digits < 1 || digits > 2)
			return false;
		at += digits;
		if (part < 2 && *at++ != '-')
			return false;
	}
	return *at == '\0' || cx_str_only(at, "0123456789:.-+TtZ \t");
}

bool cx_plain_is_surely_text(const char *text)
{
	for (size_t i = 0; i < CX_COUNT(old_word); i++)
		if (cx_str_same(text, old_word[i]))
			return false;
	return kind_of(text) == TEXT && !is_old_number(text) && !is_date(text);
}
