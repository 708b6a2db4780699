/*
 * ferry.h - bytes from one end of a tunnel to the other, counted exactly.
 *
 * Small reads are copied; behind a full one the kernel moves what follows, by
 * splice(2), through one of a few pipes that all tunnels share. Nothing is
 * read that may not be passed on: each read is cut to what is left of the
 * job's ceilings and rates and of the way, so a ceiling is met to the byte.
 * What a slow reader doesn't take stands in a place of a pool, and nothing
 * more is read until it is gone.
 */
#ifndef CX_GATEWAY_FERRY_H
#define CX_GATEWAY_FERRY_H

#include "gateway/room.h"
#include "gateway/tunnel.h"

enum {
	CX_FERRY_READ_BYTES = 32 * 1024,
	CX_FERRY_PIPES = 32,
	CX_FERRY_PIPE_BYTES = 1024 * 1024, /* each wakes who reads */
	CX_FERRY_TURN_BYTES = 1024 * 1024,
};

enum cx_passed {
	CX_PASSED_WAIT,   /* until an end is ready again */
	CX_PASSED_TURN,   /* the turn's bound is met: there may be more */
	CX_PASSED_SLOW,   /* the job's rate is used up for now */
	CX_PASSED_LEFT,   /* way->left is used up, and all of it is written */
	CX_PASSED_END,    /* all was passed on, and its end was told */
	CX_PASSED_SPENT,  /* a ceiling is met, and there is more */
	CX_PASSED_BROKEN, /* an end failed */
};

struct cx_ferry {
	char *scratch;        /* CX_FERRY_READ_BYTES and more, see ferry.c */
	struct cx_room spill;
	struct {
		int fd[2];    /* -1: not made yet */
		bool taken;
	} pipe[CX_FERRY_PIPES];
	int64_t now_us;       /* of this turn */
};

/* 0 or -1, errno. */
int cx_ferry_start(struct cx_ferry *ret, uint32_t spills);
void cx_ferry_done(struct cx_ferry *ferry);

/* One turn of a way. */
enum cx_passed cx_ferry_pass(struct cx_ferry *ferry, struct cx_tunnel *tunnel,
                             int way);

/* Puts bytes that came with a head before what the end sends: they are
 * counted, and cut to the job's ceiling. false: there is no place for them. */
bool cx_ferry_hold(struct cx_ferry *ferry, struct cx_tunnel *tunnel, int way,
                   const char *data, size_t size);

/* Sends bytes as far as the end takes them, and counts those of them that are
 * the job's. What was sent; -1: the end failed. */
ssize_t cx_ferry_send(struct cx_tunnel *tunnel, int way, const char *data,
                      size_t size);

/* Bytes that the job may pass this way now: its ceilings, its rate. */
uint64_t cx_ferry_budget(struct cx_ferry *ferry, struct cx_job *job, int way);

/* The job's ceiling leaves nothing this way. */
bool cx_ferry_is_spent(struct cx_job *job, int way);

/* What stands in a way is dropped, and not counted. */
void cx_ferry_drop(struct cx_ferry *ferry, struct cx_tunnel *tunnel, int way);

#endif
