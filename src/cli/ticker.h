/*
 * ticker.h - one line on a terminal that says what is going on, written over
 * and over, and gone at the end. Where standard error is no terminal, nothing.
 */
#ifndef CX_CLI_TICKER_H
#define CX_CLI_TICKER_H

#include <stdbool.h>
#include <stdint.h>

struct cx_ticker {
	const char *tool;  /* its name */
	bool shown;
	int64_t start_ms;
};

/* Whether anybody watches. */
bool cx_ticker_start(const char *tool, struct cx_ticker *ret);

/* Shows text and the seconds since the start; context is the ticker. Controls
 * in text are shown as "?". */
void cx_ticker_say(const char *text, void *context);

/* Wipes the line. */
void cx_ticker_end(struct cx_ticker *ticker);

#endif
