/* filter.c - see filter.h. */
#include "audit/filter.h"

#include "base/clock.h"
#include "base/count.h"
#include "base/num.h"
#include "base/promise.h"
#include "base/str.h"

/* 0 stands for a digit. */
static bool has_form(const char *text, const char *form)
{
	for (; *form; text++, form++)
		if (*form == '0' ? *text < '0' || *text > '9' : *text != *form)
			return false;
	return *text == '\0';
}

static bool is_calendar(const char *at)
{
	static const struct { int from; int low, high; } part[] = {
		{ 5, 1, 12 }, { 8, 1, 31 }, { 11, 0, 23 }, { 14, 0, 59 },
		{ 17, 0, 59 },
	};

	for (size_t i = 0; i < CX_COUNT(part); i++) {
		const char *digit = at + part[i].from;
		int n = (digit[0] - '0') * 10 + digit[1] - '0';

		if (n < part[i].low || n > part[i].high)
			return false;
	}
	return true;
}

static bool read_ago(const char *text, int64_t now, char ret[CX_MARGIN_AT])
{
	static const struct { char letter; int64_t seconds; } unit[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
	};
	char digit[12] = "", second[21];
	size_t length = strlen(text);
	uint64_t n;

	if (length < 2 || length > sizeof digit)
		return false;
	memcpy(digit, text, length - 1);
	if (!cx_num_parse(digit, 0, 100000000, &n))
		return false;
	for (size_t i = 0; i < CX_COUNT(unit); i++) {
		int64_t then = now - (int64_t)n * unit[i].seconds;

		if (unit[i].letter != text[length - 1])
			continue;
		cx_clock_text(then < 0 ? 0 : then, second);
		snprintf(ret, CX_MARGIN_AT, "%.19s.000Z", second);
		return true;
	}
	return false;
}

bool cx_filter_time(const char *text, int64_t now, char ret[CX_MARGIN_AT])
{
	static const struct { const char *form; int keep; const char *rest; }
	form[] = {
		{ "0000-00-00", 10, "T00:00:00.000Z" },
		{ "0000-00-00T00:00Z", 16, ":00.000Z" },
		{ "0000-00-00T00:00:00Z", 19, ".000Z" },
		{ "0000-00-00T00:00:00.000Z", 24, "" },
	};

	for (size_t i = 0; i < CX_COUNT(form); i++) {
		if (!has_form(text, form[i].form))
			continue;
		snprintf(ret, CX_MARGIN_AT, "%.*s%s", form[i].keep, text,
		         form[i].rest);
		return is_calendar(ret);
	}
	return read_ago(text, now, ret);
}

static int fill_time(const char *text, int64_t now, char ret[CX_MARGIN_AT],
                     struct cx_err *err)
{
	if (!text || cx_filter_time(text, now, ret))
		return 0;
	return cx_err_set(err, CX_E_USAGE, "\"%.40s\" is no time; write "
	                  "2026-11-30, 2026-11-30T20:40Z (UTC), or how long "
	                  "ago, as 90s, 15m, 2h, 7d", text);
}

static int fill_words(const struct cx_filter_words *words,
                      struct cx_filter *ret, struct cx_err *err)
{
	if (words->decision && !cx_decision_find(words->decision,
	                                         &ret->decision))
		return cx_err_set(err, CX_E_USAGE, "no such decision");
	if (words->surface && !cx_surface_find(words->surface, &ret->surface))
		return cx_err_set(err, CX_E_USAGE, "no such surface");
	if (words->termination && !cx_termination_find(words->termination,
	                                               &ret->termination))
		return cx_err_set(err, CX_E_USAGE, "no such termination");
	ret->reason = words->reason ? cx_err_find(words->reason) : CX_E_NONE;
	if (words->reason && ret->reason == CX_E_NONE)
		return cx_err_set(err, CX_E_USAGE, "\"%.40s\" is no error "
		                  "class; cx-errors(7) lists them",
		                  words->reason);
	return 0;
}

int cx_filter_make(const struct cx_filter_words *words, int64_t now,
                   struct cx_filter *ret, struct cx_err *err)
{
	*ret = (struct cx_filter){
		.org_id = words->org, .instance = words->instance,
		.user_id = words->user, .run_id = words->run,
		.job_id = words->job,
	};
	if (!!words->org + words->instance + words->carrier > 1)
		return cx_err_set(err, CX_E_USAGE, "--org, --carrier and "
		                  "--instance exclude each other");
	if (!CX_PROMISE(read_is_scoped, words->org || words->instance ||
	                                words->carrier))
		return cx_err_set(err, CX_E_USAGE,
		                  "say whose records: --org ID, --carrier for "
		                  "a carrier's, or --instance for those of "
		                  "every organization");
	if (fill_words(words, ret, err) < 0 ||
	    fill_time(words->since, now, ret->since, err) < 0)
		return -1;
	return fill_time(words->until, now, ret->until, err);
}

static bool is_text(const char *wanted, const char *given)
{
	return !wanted || (given && cx_str_same(wanted, given));
}

/* Nobody's records are read by default. */
static bool is_org(const struct cx_filter *filter,
                   const struct cx_event *event)
{
	if (filter->instance)
		return true;
	return filter->org_id && event->org_id &&
	       cx_str_same(filter->org_id, event->org_id);
}

static bool is_then(const struct cx_filter *filter, const char *at)
{
	if (filter->since[0] && (!at[0] || strcmp(at, filter->since) < 0))
		return false;
	return !filter->until[0] || (at[0] && strcmp(at, filter->until) < 0);
}

bool cx_filter_admits(const struct cx_filter *filter,
                      const struct cx_event *event, const char *at)
{
	if (!CX_PROMISE(read_one_org, is_org(filter, event)))
		return false;
	if (!is_text(filter->user_id, event->user_id) ||
	    !is_text(filter->run_id, event->run_id) ||
	    !is_text(filter->job_id, event->job_id))
		return false;
	if ((filter->decision && filter->decision != event->decision) ||
	    (filter->surface && filter->surface != event->surface) ||
	    (filter->termination &&
	     filter->termination != event->termination) ||
	    (filter->reason && filter->reason != event->reason))
		return false;
	return is_then(filter, at);
}
