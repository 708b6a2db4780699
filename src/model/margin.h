/*
 * margin.h - what stands beside an audit event: its index, time and key.
 *
 * One canonical JSON line of seg-<first>.meta for each line of the segment,
 * with the members at, gap?, idempotencyKey, index, suppressed?. It stands
 * beside the event and not in it, so that the event's shape stays exact.
 */
#ifndef CX_MODEL_MARGIN_H
#define CX_MODEL_MARGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	CX_MARGIN_KEY_MAX = 128,
	CX_MARGIN_AT = 25,    /* "2026-11-30T20:40:47.123Z" and the NUL */
	CX_MARGIN_MAX = 512,  /* bytes of a line */
};

/* Numbers are at most 2^53 - 1. */
struct cx_margin {
	char at[CX_MARGIN_AT];  /* time of the record, UTC; sorts as text */
	uint64_t gap;          /* records before this one that couldn't be
	                          written or were lost; 0: left out */
	char key[CX_MARGIN_KEY_MAX + 1];
	uint64_t index;
	uint64_t suppressed;   /* refusals like this one that the cooldown
	                          kept out before it; 0: left out */
};

/* 1 to 128 of A-Z a-z 0-9 . _ : / - */
bool cx_margin_is_key(const char *text);

/* "2026-11-30T..." as 20261130. */
uint64_t cx_margin_day(const char *at);

/* Appends the line, without a newline. */
void cx_margin_write(const struct cx_margin *margin, struct cx_buf *ret);

/* size bytes are exactly a line that cx_margin_write makes. */
bool cx_margin_read(const char *line, size_t size, struct cx_margin *ret);

#endif
