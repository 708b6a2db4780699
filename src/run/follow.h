/*
 * follow.h - a command's life as events while it runs (--follow): NDJSON on
 * standard output, before the document.
 *
 *	{"event":"started","index":0,"jobId":"j-..."}
 *	{"event":"stdout","index":0,"offset":0,"text":"..."}
 *	{"event":"stderr","index":0,"offset":0,"base64":"..."}
 *
 * index counts the document's commands from 0; offset is where the bytes stand
 * in their stream. text is whole characters: one that came in two parts waits
 * for its end. What isn't UTF-8, or holds NUL, is base64. All of a stream's
 * texts and decoded bytes in order are the stream; a gap in the offsets is
 * what was dropped since the reader didn't take it in time.
 */
#ifndef CX_RUN_FOLLOW_H
#define CX_RUN_FOLLOW_H

#include "data/shape.h"
#include "run/relay.h"

enum { CX_FOLLOW_BYTES_MAX = 64 * 1024 }; /* of a stream, in one event */

struct cx_follow_stream {
	char part[4];         /* of a character whose end is to come */
	size_t part_bytes;
	uint64_t offset;      /* of part */
};

struct cx_follow {
	struct cx_relay relay; /* its first stream takes the lines */
	bool person;           /* a terminal: indented, controls escaped */
	bool colour;
	size_t index;          /* of the command */
	const char *job_id;    /* borrowed */
	bool started;          /* that event was told */
	struct cx_follow_stream stream[2];
};

/* What an event may hold. */
extern const struct cx_shape cx_follow_shape;

void cx_follow_start(bool person, bool colour, struct cx_follow *ret);

/* Command number index of a job is about to run; and it was executed. */
void cx_follow_begin(struct cx_follow *follow, size_t index,
                     const char *job_id);
void cx_follow_started(struct cx_follow *follow);

/* Bytes of stream 1 or 2; a command that says something has started. */
void cx_follow_output(struct cx_follow *follow, int number, const char *data,
                      size_t size);

/* The command has ended: what still waits for the end of its character. */
void cx_follow_end(struct cx_follow *follow);

#endif
