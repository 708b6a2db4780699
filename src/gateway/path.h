/*
 * path.h - the data path: one process, one epoll, tables of fixed size.
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
#ifndef CX_GATEWAY_PATH_H
#define CX_GATEWAY_PATH_H

#include "gateway/clockwork.h"
#include "gateway/ferry.h"
#include "gateway/resolve.h"
#include "gateway/terrain.h"

enum cx_path_kind {
	CX_PATH_TUNNEL,
	CX_PATH_LISTENER, /* number: of the job, CX_JOB_MAX: shared */
	CX_PATH_RESOLVER,
	CX_PATH_CONTROL,  /* a control connection */
	CX_PATH_DOOR,     /* the control socket */
	CX_PATH_SIGNAL,
};

/* What an event belongs to: it fits into epoll's 64 bits. */
struct cx_path_tag {
	enum cx_path_kind kind;
	uint32_t number;     /* below 2^24 */
	uint8_t part;        /* of a tunnel: its end, or 2 + the attempt */
	uint32_t generation; /* the low 24 bits of it */
};

struct cx_path {
	int epoll_fd;
	struct cx_clockwork clockwork;
	struct cx_job_table jobs;
	struct cx_tunnel_table tunnels;
	struct cx_room slots;
	struct cx_ferry ferry;
	struct cx_resolve resolve;
	struct cx_terrain_book book;
	struct cx_job *ready, *ready_last; /* jobs with tunnels to be served */
	int64_t slow_until_ms;             /* rates are looked at again; 0 */
	uint64_t refused_full;             /* connections without a place */
	bool closing;                      /* none is accepted any more */
};

/* tunnels: places. server: the resolver's address, or NULL. */
int cx_path_start(struct cx_path *path, uint32_t tunnels, const char *server,
                  struct cx_err *err);
void cx_path_done(struct cx_path *path);

/* fd is to be watched; edge: edge-triggered, for both directions. 0 or -1. */
int cx_path_watch(struct cx_path *path, int fd, uint32_t events,
                  struct cx_path_tag tag);
int cx_path_rewatch(struct cx_path *path, int fd, uint32_t events,
                    struct cx_path_tag tag);

/* Serves events for one round: waits at most most_ms (-1: as long as it
 * takes). What isn't the path's own is given to other. */
typedef void cx_path_other(void *context, struct cx_path_tag tag);
void cx_path_turn(struct cx_path *path, int most_ms, cx_path_other *other,
                  void *context);

/* The job's listeners are served. 0, or -1 and errno. */
int cx_path_begin_job(struct cx_path *path, struct cx_job *job);

/* All its tunnels end now, by reset. */
void cx_path_cut_job(struct cx_path *path, struct cx_job *job);

/* A listener that all share. 0, or -1 and errno. */
int cx_path_share(struct cx_path *path, int fd);

#endif
