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

void cx_clock_text(int64_t seconds, char ret_text[21])
{
	time_t when = (time_t)seconds;
	struct tm part;

	ret_text[0] = '\0';
	if (gmtime_r(&when, &part))
		strftime(ret_text, 21, "%Y-%m-%dT%H:%M:%SZ", &part);
}
