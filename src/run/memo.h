/*
 * memo.h - what the last round trip came to, kept for 30 seconds in
 * run/ready.json, and the lease under which one is made at a time.
 *
 * A memo is bound to what its answer depended on: the start of this machine,
 * this program, the configuration, the base's digest, and what the caller may
 * do (namespaces, capabilities, filters, control group). For anybody else,
 * and after any of it changed, there is none.
 */
#ifndef CX_RUN_MEMO_H
#define CX_RUN_MEMO_H

#include <stdbool.h>

#include "run/roundtrip.h"

enum { CX_MEMO_LIFE_MS = 30000 };

struct cx_memo {
	int run_fd;                  /* the folder run/ */
	int lease_fd;                /* -1: not held */
	bool is_bound;               /* what it depends on could be told */
	char bound[CX_DIGEST_TEXT];
};

#define CX_MEMO_NONE ((struct cx_memo){ .run_fd = -1, .lease_fd = -1 })

/* Opens the base image too, when there is one. */
int cx_memo_open(struct cx_broker *broker, struct cx_memo *ret,
                 struct cx_err *err);
void cx_memo_done(struct cx_memo *memo);
#define CX_AUTO_MEMO __attribute__((cleanup(cx_memo_done)))

/* Waits until no other process makes a round trip here. */
int cx_memo_lease(struct cx_memo *memo, struct cx_err *err);

/* A round trip that began at since_ms or later and not more than its life
 * before now; false when there is none. */
bool cx_memo_read(const struct cx_memo *memo, int64_t since_ms,
                  struct cx_roundtrip *ret);

/* Keeps it; what can't be written isn't kept. */
void cx_memo_write(const struct cx_memo *memo,
                   const struct cx_roundtrip *trip);

#endif
