/*
 * clock.h - the time of day and the monotonic clock.
 *
 * CX_TEST_NOW (whole seconds) stands for the time of day where it is set: the
 * caller of a tool owns its state and its keys, so it gains nothing by it.
 */
#ifndef CX_BASE_CLOCK_H
#define CX_BASE_CLOCK_H

#include <stdint.h>

#include "base/err.h"

/* Seconds since 1970. Before the build date: CX_E_CLOCK_UNUSABLE. */
int cx_clock_now(int64_t *ret_seconds, struct cx_err *err);

/* The same question about a time that is at hand. */
int cx_clock_check(int64_t seconds, struct cx_err *err);

/* Milliseconds since 1970 for records; never fails. */
int64_t cx_clock_wall_ms(void);

/* Microseconds of CLOCK_MONOTONIC. */
int64_t cx_clock_mono_us(void);

/* seconds as "2026-11-30T20:40:47Z"; "" before 1970 and after 9999. */
void cx_clock_text(int64_t seconds, char ret_text[21]);

#endif
