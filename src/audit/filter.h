/*
 * filter.h - which records a reader asked for.
 */
#ifndef CX_AUDIT_FILTER_H
#define CX_AUDIT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"
#include "model/margin.h"

/* But for the first two, NULL, "" and the first word of an enumeration are any.
 * Texts are borrowed. */
struct cx_filter {
	const char *org_id;   /* one organization's rows; NULL: nobody's */
	bool instance;        /* every organization's, whatever org_id is */
	const char *user_id, *run_id, *job_id;
	enum cx_decision decision;
	enum cx_surface surface;
	enum cx_termination termination;
	enum cx_class reason;
	char since[CX_MARGIN_AT]; /* at >= since */
	char until[CX_MARGIN_AT]; /* at < until */
};

/* The same as a person writes it; NULL is any. */
struct cx_filter_words {
	const char *org, *user, *run, *job;
	const char *since, *until;
	const char *decision, *surface, *termination, *reason;
	bool instance, carrier;
};

/*
 * A point in time: "2026-11-30", "2026-11-30T20:40Z", "2026-11-30T20:40:47Z"
 * (with or without milliseconds), always UTC, or how long before now (seconds
 * since 1970): "90s", "15m", "2h", "7d". false for anything else.
 */
bool cx_filter_time(const char *text, int64_t now, char ret[CX_MARGIN_AT]);

/* The filter of words, whose texts it borrows. Usage for a word that is none,
 * and unless either one organization, a carrier's or the whole instance was
 * asked for. With carrier org_id is left to the caller: until then nothing
 * is admitted. */
int cx_filter_make(const struct cx_filter_words *words, int64_t now,
                   struct cx_filter *ret, struct cx_err *err);

/* at "" is unknown and lies in no bounded time. */
bool cx_filter_admits(const struct cx_filter *filter,
                      const struct cx_event *event, const char *at);

#endif
