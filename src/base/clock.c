/* clock.c - see clock.h. */
#include "base/clock.h"

#include <time.h>

#include "base/num.h"

#ifndef CX_BUILD_TIME
#define CX_BUILD_TIME 1767225600 /* 2026-01-01, the oldest honest clock */
#endif

static int64_t real_ms(void)
{
	struct timespec now;
	const char *fixed = getenv("CX_TEST_NOW");
	uint64_t seconds;

	if (fixed && cx_num_parse(fixed, 0, INT64_MAX / 1000, &seconds))
		return (int64_t)seconds * 1000;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int cx_clock_check(int64_t seconds, struct cx_err *err)
{
	if (seconds < CX_BUILD_TIME)
		return cx_err_set(err, CX_E_CLOCK_UNUSABLE,
		                  "the clock says %lld, which is before this "
		                  "program was built; set the clock",
		                  (long long)seconds);
	return 0;
}

int cx_clock_now(int64_t *ret_seconds, struct cx_err *err)
{
	int64_t now = real_ms() / 1000;

	if (cx_clock_check(now, err) < 0)
		return -1;
	*ret_seconds = now;
	return 0;
}

int64_t cx_clock_wall_ms(void)
{
	return real_ms();
}

int64_t cx_clock_mono_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* n as exactly width digits. */
static char *digits(char *at, int64_t n, int width)
{
	for (int i = width - 1; i >= 0; i--) {
		at[i] = (char)('0' + n % 10);
		n /= 10;
	}
	return at + width;
}

/*
 * By hand, since the C library reads the machine's time zone from a file even
 * for UTC. Years of 400 * 365 + 97 days are counted from 1 March 0000, so that
 * the leap day is a year's last (H. Hinnant, chrono-compatible low-level date
 * algorithms).
 */
void cx_clock_text(int64_t seconds, char ret_text[21])
{
	int64_t day = seconds / 86400, rest = seconds % 86400;
	int64_t era, of_era, year, of_year, month;
	char *at = ret_text;

	ret_text[0] = '\0';
	if (seconds < 0 || seconds > INT64_C(253402300799)) /* year 9999 */
		return;
	day += 719468;
	era = day / 146097;
	of_era = day % 146097;
	year = (of_era - of_era / 1460 + of_era / 36524 -
	        of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	at = digits(at, year + era * 400 + (month >= 10), 4);
	*at++ = '-';
	at = digits(at, month < 10 ? month + 3 : month - 9, 2);
	*at++ = '-';
	at = digits(at, of_year - (153 * month + 2) / 5 + 1, 2);
	*at++ = 'T';
	at = digits(at, rest / 3600, 2);
	*at++ = ':';
	at = digits(at, rest / 60 % 60, 2);
	*at++ = ':';
	at = digits(at, rest % 60, 2);
	*at++ = 'Z';
	*at = '\0';
}
