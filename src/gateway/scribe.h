/*
 * scribe.h - the process that writes the operator's log.
 *
 * A disk may make its writer wait, for as long as it likes, and so may whoever
 * holds the file's lock. So the data path writes to a pipe and never waits,
 * and a process of its own, which can reach the log's folder and nothing else,
 * takes it from there. What the pipe has no room for is lost and counted; so
 * is what can't be written. A line says how many were lost before the next
 * one. The pipe's end is its end: what stands in the pipe is written first,
 * whatever became of the gateway.
 */
#ifndef CX_GATEWAY_SCRIBE_H
#define CX_GATEWAY_SCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plane/logsite.h"

enum {
	CX_SCRIBE_LINE_MAX = 4096,  /* PIPE_BUF: a pipe takes it whole */
	CX_SCRIBE_LOSS_BYTES = 96,
};

struct cx_scribe {
	int fd;          /* the pipe, non-blocking; owned; -1: none */
	int alive_fd;    /* at its end once the process has ended; owned */
};

#define CX_SCRIBE_NONE ((struct cx_scribe){ .fd = -1, .alive_fd = -1 })

/* Opens the file, which is config_invalid where it can't be, and makes the
 * process. */
int cx_scribe_start(const struct cx_logsite *site, struct cx_scribe *ret,
                    struct cx_err *err);

/* Lines of at most CX_SCRIBE_LINE_MAX bytes in all. false: it has no room for
 * them now, or is gone; nothing of them was taken. */
bool cx_scribe_take(const struct cx_scribe *scribe, const char *lines,
                    size_t size);

/* The bounds are other ones from here on, and the file is opened again. */
bool cx_scribe_turn(const struct cx_scribe *scribe, uint64_t max_bytes,
                    uint64_t keep);

/* Lets the process go, and waits a moment for it to write what it has. */
void cx_scribe_done(struct cx_scribe *scribe);

/* {"time":"...","dropped":N} and a newline; its size. */
size_t cx_scribe_loss(uint64_t lost, char ret[CX_SCRIBE_LOSS_BYTES]);

/* A time of day in milliseconds as 2026-11-30T20:40:47.123Z. */
enum { CX_SCRIBE_TIME_BYTES = 25 };
void cx_scribe_time(int64_t wall_ms, char ret[CX_SCRIBE_TIME_BYTES]);

#endif
