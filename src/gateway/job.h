/*
 * job.h - the jobs that a gateway serves: a table of fixed size.
 *
 * A job is what was registered: a token, a policy, ceilings, and the listeners
 * by which its traffic is known. Control fills a place and empties it; the
 * data path reads the policy, hangs its tunnels on the job and counts their
 * bytes. A place is emptied only when no tunnel hangs on it any more.
 */
#ifndef CX_GATEWAY_JOB_H
#define CX_GATEWAY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/digest.h"
#include "gateway/alias.h"
#include "model/credential.h"
#include "model/decide.h"
#include "sys/portal.h"

enum {
	CX_JOB_MAX = 512,
	CX_JOB_ENTRIES_MAX = 512,
	CX_JOB_LISTENERS_MAX = CX_PORTAL_SOCKETS_MAX,
	CX_JOB_SHARED_MAX = 4,     /* listeners of nobody's own */
	CX_JOB_ID_BYTES = 257,     /* with the final NUL */
	CX_JOB_TOKEN_MIN = 16,
};

#define CX_JOB_NO_LIMIT UINT64_MAX

struct cx_job;
struct cx_tunnel; /* the data path's own: gateway/tunnel.h */

/* A socket by which traffic comes in. */
struct cx_job_listener {
	struct cx_job *job;        /* NULL: shared, the token says whose */
	enum cx_portal_role role;
	uint16_t port;             /* that it stands at inside */
	bool redirected;           /* CX_PORTAL_ANY: by nf_tables */
	int fd;                    /* non-blocking; owned; -1: free */
};

enum cx_job_state {
	CX_JOB_FREE,
	CX_JOB_LIVE,
	CX_JOB_REVOKED, /* its tunnels are to be closed, none is to begin */
	CX_JOB_GONE,    /* unregistered: the place is free once no tunnel
	                   hangs on it */
};

struct cx_job {
	enum cx_job_state state;
	uint32_t generation;       /* counts what had this place */
	char id[CX_JOB_ID_BYTES];  /* "": shared, and none was named */
	char org[CX_JOB_ID_BYTES];
	char token[CX_CREDENTIAL_TOKEN_BYTES];
	struct cx_policy policy;
	struct cx_entry *entry;    /* the place's own room, the policy's */
	int64_t expires_at;        /* seconds since 1970; 0: never */
	struct cx_digest digest;   /* of its registration */

	/* Ceilings in bytes, rates in bytes a second. */
	uint64_t up_max, down_max, total_max;
	uint64_t up_rate, down_rate; /* CX_JOB_NO_LIMIT: none */
	uint32_t tunnels_max;

	/* What the job's commands share, or NULL: total_max then holds for
	 * this one, and what it may pass is taken from there before. */
	uint64_t *toll;
	uint64_t toll_max;
	uint64_t taken;            /* up + down, and some to come */

	/* What was counted, exactly what was passed on. up: from inside out. */
	uint64_t up, down;
	uint64_t tunnels;          /* begun, ever */
	uint64_t denied;           /* requests that weren't admitted */
	uint32_t open;             /* hang on it now */
	struct cx_tunnel *first;   /* of those, the data path's list */
	int lookups;               /* on their way for it */

	/* The data path's: tunnels to be served, by ready_next, and the next
	 * job that has some. */
	struct cx_tunnel *ready, *ready_last;
	struct cx_job *ready_job;
	bool is_ready;

	/* Where the rates stand: bytes that may pass now, and since when. */
	int64_t rate_us;
	uint64_t up_room, down_room;

	/* The last name that its resolver refused, and when that was logged. */
	char refused_name[CX_ALIAS_NAME_BYTES];
	int64_t refused_ms;

	int owner;                 /* the control connection whose end is its
	                              end, -1: it stays until unregistered */
	struct cx_job_listener listener[CX_JOB_LISTENERS_MAX];
	size_t listeners;
	struct cx_alias_book *alias; /* the place's own room */
};

struct cx_job_table {
	struct cx_job *job;        /* CX_JOB_MAX places */
	struct cx_entry *entry;    /* CX_JOB_ENTRIES_MAX for each */
	struct cx_alias_book *alias; /* one for each */
	struct cx_job_listener shared[CX_JOB_SHARED_MAX];
	size_t shareds;
};

/* All places at once, empty; memory is touched when a place is used. 0 or -1,
 * errno. */
int cx_job_start(struct cx_job_table *ret);
void cx_job_done(struct cx_job_table *table);

/* A free place, cleared, its listeners none; NULL: all are taken. It is LIVE
 * from here on. */
struct cx_job *cx_job_take(struct cx_job_table *table);

/* Closes what it listens to, and gives back what it took of its toll; frees
 * the place if no tunnel hangs on it, else the last one does so by
 * cx_job_settle. */
void cx_job_leave(struct cx_job *job);

/* A tunnel was taken off: frees the place of a job that is GONE. */
void cx_job_settle(struct cx_job *job);

/* Whose token this is, in time that depends on no token's bytes; NULL. It may
 * be revoked, or its time be over: cx_job_attribution. */
struct cx_job *cx_job_by_token(struct cx_job_table *table, const char *token);

/* The job of that id, LIVE or REVOKED; NULL. */
struct cx_job *cx_job_by_id(struct cx_job_table *table, const char *id);

/*
 * Whose request this is: by the listener that it came by, the token that came
 * with it (NULL: none), or both, which must then agree. *ret_job is set where
 * it is CX_ATTRIBUTION_JOB, or a job is known though it may not; else NULL.
 */
enum cx_attribution cx_job_attribute(struct cx_job_table *table,
                                     const struct cx_job_listener *listener,
                                     const char *token, int64_t now,
                                     struct cx_job **ret_job);

/* Bytes that it may still pass in a direction (up: from inside out), by its
 * ceilings; 0: it is spent. */
uint64_t cx_job_left_up(struct cx_job *job);
uint64_t cx_job_left_down(struct cx_job *job);

/* A ceiling is reached: nothing new is admitted. */
bool cx_job_is_spent(struct cx_job *job);

#endif
