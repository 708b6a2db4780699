/*
 * flow.h - the data path: one process, one epoll, tables of fixed size.
 *
 * A connection that comes in at a listener gets a place in the table, a slot
 * for its request's head, and a deadline. What it asks for is judged
 * (model/decide), looked up once, judged again, dialled at the addresses that
 * were judged, and checked by getpeername before anything is said. From then
 * on it is either a tunnel (ferry.h) or a request that is forwarded
 * (forward.h). Events are edge-triggered: an end is known to be ready until a
 * call says otherwise, each turn is bounded, and who isn't done stands in his
 * job's queue; jobs take turns, so that one with many tunnels is no faster.
 */
#ifndef CX_GATEWAY_FLOW_H
#define CX_GATEWAY_FLOW_H

#include "gateway/clockwork.h"
#include "gateway/ferry.h"
#include "gateway/journal.h"
#include "gateway/resolve.h"
#include "gateway/slots.h"
#include "gateway/terrain.h"

enum cx_flow_kind {
	CX_FLOW_TUNNEL,
	CX_FLOW_LISTENER, /* number: of the job, CX_JOB_MAX: shared */
	CX_FLOW_RESOLVER,
	CX_FLOW_CONTROL,  /* a control connection */
	CX_FLOW_DOOR,     /* the control socket */
	CX_FLOW_SIGNAL,
};

/* What an event belongs to: it fits into epoll's 64 bits. */
struct cx_flow_tag {
	enum cx_flow_kind kind;
	uint32_t number;     /* below 2^24 */
	uint8_t part;        /* of a tunnel: its end, or 2 + the attempt */
	uint32_t generation; /* the low 24 bits of it */
};

struct cx_flow {
	int epoll_fd;
	struct cx_clockwork clockwork;
	struct cx_job_table jobs;
	struct cx_tunnel_table tunnels;
	struct cx_slots slots;
	struct cx_ferry ferry;
	struct cx_resolve resolve;
	struct cx_terrain_book book;
	struct cx_journal journal;
	struct cx_job *ready, *ready_last; /* jobs with tunnels to be served */
	uint32_t descriptors;              /* for ends; see entrance.h */
	int spare_fd;                      /* given up to say 503 */
	uint64_t refused_full;             /* connections without a place */
	bool closing;                      /* none is accepted any more */
};

/* fd is to be watched; edge: edge-triggered, for both directions. 0 or -1. */
int cx_flow_watch(struct cx_flow *flow, int fd, uint32_t events,
                  struct cx_flow_tag tag);
int cx_flow_rewatch(struct cx_flow *flow, int fd, uint32_t events,
                    struct cx_flow_tag tag);

/* Serves events for one round: waits at most most_ms (-1: as long as it
 * takes). What isn't the path's own is given to other. */
typedef void cx_flow_other(void *context, struct cx_flow_tag tag);
void cx_flow_turn(struct cx_flow *flow, int most_ms, cx_flow_other *other,
                  void *context);

/* There is something to be done for it; it is attributed. */
void cx_flow_ready(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* It is on no queue any more. */
void cx_flow_unready(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* Its end is watched: edge-triggered, both directions. 0 or -1, errno. */
int cx_flow_watch_end(struct cx_flow *flow, struct cx_tunnel *tunnel, int end);

/* The time is looked at: before the first turn. */
void cx_flow_look_at_clock(struct cx_flow *flow);

#endif
