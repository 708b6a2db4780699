/*
 * resolve.h - names looked up by c-ares: no search list, no hosts file, one
 * question for all who ask the same at once, 64 at most on their way. A job may
 * have as many of them as are free, eight in any case, so that one whose names
 * nobody answers for leaves half to the others.
 */
#ifndef CX_GATEWAY_RESOLVE_H
#define CX_GATEWAY_RESOLVE_H

#include <stdint.h>

#include "base/err.h"
#include "gateway/tunnel.h"

enum {
	CX_RESOLVE_WINDOW = 64,
	CX_RESOLVE_ANSWERS_MAX = 128,
	CX_RESOLVE_TIMEOUT_MS = 2000,
	CX_RESOLVE_TRIES = 2,
};

struct ares_channeldata;
struct cx_resolve;

struct cx_resolve_hooks {
	void *context;
	/* The socket is to be watched for these, or for nothing. */
	void (*watch)(void *context, int fd, bool readable, bool writable);
	/* Answers, for the tunnel that asked (its lookup is -1 again). */
	void (*tell)(void *context, struct cx_tunnel *tunnel,
	             enum cx_lookup lookup, const struct cx_addr *answer,
	             size_t answers);
};

struct cx_query {
	struct cx_resolve *resolve;
	bool taken;
	struct cx_job *job;           /* that it was begun for */
	uint32_t generation;          /* of that */
	char name[CX_HOST_NAME_BYTES];
	struct cx_tunnel *first;      /* who asks: by ready_next */
};

struct cx_resolve {
	struct ares_channeldata *channel;
	struct cx_resolve_hooks hooks;
	struct cx_query query[CX_RESOLVE_WINDOW];
	struct cx_tunnel *waiting, *waiting_last; /* for a place in it */
	struct cx_addr answer[CX_RESOLVE_ANSWERS_MAX];
	uint32_t asked;               /* lookups, ever */
	int taken;                    /* places of the window */
};

/* server "ADDRESS:PORT", or NULL: those of /etc/resolv.conf. io_error. */
int cx_resolve_start(const char *server, const struct cx_resolve_hooks *hooks,
                     struct cx_resolve *ret, struct cx_err *err);
void cx_resolve_done(struct cx_resolve *resolve);

/* Looks up tunnel->slot->target; tell is called later. */
void cx_resolve_ask(struct cx_resolve *resolve, struct cx_tunnel *tunnel);

/* It is gone, and isn't told any more. */
void cx_resolve_forget(struct cx_resolve *resolve, struct cx_tunnel *tunnel);

/* A socket is ready; -1 for none: deadlines are looked at. */
void cx_resolve_turn(struct cx_resolve *resolve, int fd, bool readable,
                     bool writable);

/* Milliseconds until there is something to do, at most most; -1: nothing. */
int cx_resolve_pause(struct cx_resolve *resolve, int most);

#endif
