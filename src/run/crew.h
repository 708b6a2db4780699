/*
 * crew.h - the workers, seen from the process that holds the keys.
 */
#ifndef CX_RUN_CREW_H
#define CX_RUN_CREW_H

#include "run/handover.h"
#include "run/steward.h"
#include "wire/packet.h"

enum {
	CX_CREW_SPARE = 2,
	CX_CREW_MAX = CX_STEWARD_WORKERS_MAX - CX_CREW_SPARE,
};

struct cx_ticket;

struct cx_crew_member {
	int fd;                       /* -1: it is gone */
	struct cx_ticket *ticket;     /* what it works on; NULL: idle */
	bool cancelled;
	uint64_t since;               /* its last answer's number */
	struct cx_packet_inbox inbox;
};

struct cx_crew {
	struct cx_steward steward;
	struct cx_crew_member *member; /* owned */
	size_t count, busy;
	size_t limit;                  /* how many may be busy */
	uint64_t answers;
};

#define CX_CREW_NONE { .steward = CX_STEWARD_NONE }

/*
 * For count documents at once, CX_CREW_MAX at most. There are more workers than
 * that: one that has answered still takes away what it made, and makes ready
 * for the next. To be called before a key is read or a database opened.
 */
int cx_crew_start(struct cx_broker *broker, const struct cx_order_flags *flags,
                  size_t count, const struct cx_steward_charge *charge,
                  struct cx_crew *ret, struct cx_err *err);

/* Who has had nothing to do for longest, hired anew where the last one died;
 * NULL when all are busy, and when none can be had (with *err then). */
struct cx_crew_member *cx_crew_idle(struct cx_crew *crew, struct cx_err *err);

/* Hands an order over. -1: the worker is gone, and ticket isn't its. */
int cx_crew_assign(struct cx_crew *crew, struct cx_crew_member *member,
                   struct cx_ticket *ticket, const struct cx_buf *order);

/* Has it end what it works on; its answer comes all the same. */
void cx_crew_cancel(struct cx_crew_member *member);

/*
 * After its descriptor turned readable: the ticket that it worked on, whose
 * answer is *ret_answer and *ret_line (borrowed until the next call), NULL when
 * the answer isn't whole yet. A worker that died leaves *ret_line NULL.
 */
struct cx_ticket *cx_crew_hear(struct cx_crew *crew,
                               struct cx_crew_member *member,
                               struct cx_handover_answer *ret_answer,
                               const char **ret_line, size_t *ret_size);

/* Ends all of them; what still runs is ended with them. */
void cx_crew_done(struct cx_crew *crew);

#endif
