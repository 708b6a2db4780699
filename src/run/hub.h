/*
 * hub.h - where documents, workers and lines meet: one loop over poll(2).
 *
 * It holds the keys. Each document is parsed and judged when a worker is free
 * for it, in the order of its guest's input and by turns between guests; the
 * worker gets what was judged, never the carrier. Nothing here waits for one
 * guest, one document or one worker.
 */
#ifndef CX_RUN_HUB_H
#define CX_RUN_HUB_H

#include "run/broker.h"
#include "run/crew.h"
#include "run/guest.h"

enum { CX_HUB_GUESTS_MAX = 1024 };

struct cx_hub {
	struct cx_broker *broker;
	const struct cx_order_flags *flags;
	struct cx_crew crew;
	struct cx_guest **guest;   /* owned, and each of them */
	size_t guest_count, turn;
	size_t guests_max;
	int listen_fd;             /* -1: guests only, ends with the last */
	int64_t patience_us;       /* with a slow guest, and with an idle one
	                              in whose place another waits; 0: no
	                              end of it */
	/* A connection's guest, or NULL: who may not be one. */
	struct cx_guest *(*admit)(void *context, int listen_fd);
	/* What went wrong with a document, for a person. */
	void (*tell)(void *context, const struct cx_err *err);
	void *context;
	int signal_fd;
	int signal;                /* that ends it; 0: none came */
	bool bereft;               /* with listen_fd: the steward died, and
	                              no worker can be hired any more */
	bool failed;               /* a document was refused or failed */
	int output_errno;          /* that ended a guest's output; 0 */
	struct cx_err input_err;   /* that ended a guest's input */
};

/* Signals INT, TERM and HUP are blocked by now; broker is open. workers: how
 * many documents at once. charge: of the steward, or NULL. Set the rest, then
 * run. */
int cx_hub_start(struct cx_broker *broker, const struct cx_order_flags *flags,
                 size_t workers, const struct cx_steward_charge *charge,
                 struct cx_hub *ret, struct cx_err *err);

/* Takes it over. */
void cx_hub_add(struct cx_hub *hub, struct cx_guest *guest);

/*
 * Until a signal comes, or (without listen_fd) the last guest is over, or (with
 * it) the steward, which can't be made again with a key at hand. What
 * runs then is cancelled; its lines, and those that are ready, still go out.
 * A second signal waits for nothing.
 */
void cx_hub_run(struct cx_hub *hub);

void cx_hub_done(struct cx_hub *hub);

#endif
