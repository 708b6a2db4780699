/*
 * tunnel.h - one connection of a job's, from its first byte to its last: the
 * table of all of them, of fixed size.
 *
 * client is the end inside, origin the one that was dialled. up is from the
 * client to the origin.
 */
#ifndef CX_GATEWAY_TUNNEL_H
#define CX_GATEWAY_TUNNEL_H

#include "gateway/job.h"
#include "model/chunk.h"
#include "model/head.h"

enum { CX_CLIENT, CX_ORIGIN, CX_ENDS };
enum { CX_UP, CX_DOWN, CX_WAYS };
#define CX_FROM(way) ((way) == CX_UP ? CX_CLIENT : CX_ORIGIN)
#define CX_TO(way) ((way) == CX_UP ? CX_ORIGIN : CX_CLIENT)

enum cx_tunnel_state {
	CX_TUNNEL_FREE,
	CX_TUNNEL_HEAD,     /* a request's head comes in */
	CX_TUNNEL_RESOLVE,  /* its host is looked up */
	CX_TUNNEL_DIAL,     /* its pinned addresses are dialled */
	CX_TUNNEL_PREFACE,  /* the first bytes are judged (preface.h) */
	CX_TUNNEL_RELAY,    /* bytes pass, and are nobody's business */
	CX_TUNNEL_FORWARD,  /* one request and its answer pass (forward.h) */
	CX_TUNNEL_ASK,      /* a program's DNS over TCP (oracle.h) */
	CX_TUNNEL_SPENT,    /* a ceiling is met: what passed still arrives */
	CX_TUNNEL_LINGER,   /* our last word was said: what still comes is
	                       dropped until the client is gone */
};

/* What a tunnel waits for, at most for a time that is the same for all that
 * wait for the same (clockwork.h). */
enum cx_wait {
	CX_WAIT_NONE,
	CX_WAIT_HEAD,
	CX_WAIT_KEPT,    /* for another request */
	CX_WAIT_ATTEMPT, /* before the next address is tried as well */
	CX_WAIT_IDLE,
	CX_WAIT_SLOW,    /* for the job's rate */
	CX_WAIT_LINGER,
	CX_WAIT_COUNT,
};

struct cx_end {
	int fd;          /* -1: none */
	bool readable;   /* until a read says otherwise */
	bool writable;
	bool ended;      /* it sends nothing any more */
	bool hung;       /* it won't send more than stands in the socket */
	bool hung_up;    /* so the kernel says; there may be more to read */
	bool shut;       /* it was told that nothing more comes */
};

/* A direction: what was read and isn't written yet stands in a place of the
 * pool, or in a pipe. */
struct cx_way {
	char *held;      /* of path's spill, NULL: nothing */
	uint32_t held_at, held_size;
	int16_t pipe;    /* -1: none */
	uint32_t piped;
	bool bulk;       /* the last read was a full one */
	uint64_t left;   /* bytes that may still pass this way */
};

enum { CX_SLOT_FEW_BYTES = 512 };

/* Of a tunnel that is set up, or forwards: what is needed for a time only. */
struct cx_slot {
	struct cx_head head;       /* of the request, then of the answer */
	struct cx_target target;   /* asked for */
	struct cx_target dialled;  /* of the origin end, while there is one */
	struct cx_addr pin[CX_DECIDE_PINNED_MAX];
	uint8_t pins, tried;
	uint8_t ticks;             /* attempts' times that went by */
	int attempt[CX_DECIDE_PINNED_MAX]; /* sockets that connect, or -1 */
	bool answers;              /* forward: the answer has begun */
	bool is_head;              /* its request was HEAD */
	bool upgrades;             /* it asked to become a WebSocket */
	bool keep_client, keep_origin;
	bool asked;                /* the whole request was passed on */
	uint8_t interim;           /* answers before the answer */
	struct cx_chunk chunk[CX_WAYS];
	uint8_t body[CX_WAYS];     /* enum cx_head_body, or UNTIL_END */
	uint64_t length[CX_WAYS];
	uint32_t at, size;         /* of data: bytes that came and stand */
	uint32_t peak;             /* the most that ever stood there */
	uint32_t room;             /* of data */
	char *data;                /* few, or a longer place: slots.h */
	char few[CX_SLOT_FEW_BYTES];
};

struct cx_visit; /* gateway/visit.h */

struct cx_tunnel {
	enum cx_tunnel_state state;
	uint32_t generation;       /* of the place: late events are known */
	struct cx_job *job;        /* NULL: not attributed yet */
	const struct cx_job_listener *listener; /* where it came in; NULL once
	                                           its job is known to it */
	struct cx_tunnel *next, *previous;      /* of the job */
	struct cx_tunnel *wait_next, *wait_previous;
	int64_t until_ms;
	enum cx_wait wait;
	struct cx_tunnel *ready_next;
	bool is_ready;
	bool kept;                 /* a request was answered on it before */
	bool direct;               /* the client takes us for the origin */
	bool transparent;          /* it never asked for a proxy */
	bool tunnels;              /* CONNECT: answered with 200 */
	int16_t lookup;            /* -1: none */
	uint16_t looks;            /* SPENT: how often it was looked at */
	uint8_t refused;           /* requests that it was kept open after */
	struct cx_end end[CX_ENDS];
	struct cx_way way[CX_WAYS];
	struct cx_slot *slot;      /* NULL: it relays */
	struct cx_visit *visit;    /* NULL: none, or there is no log */
};

struct cx_tunnel_table {
	struct cx_tunnel *tunnel;
	uint32_t count;            /* places */
	uint32_t fresh;
	uint32_t used;
	uint32_t origins;          /* ends that are connected */
	struct cx_tunnel *free;    /* by next */
};

int cx_tunnel_start(struct cx_tunnel_table *ret, uint32_t count);
void cx_tunnel_done(struct cx_tunnel_table *table);

/* A place with no ends; NULL: all are taken. */
struct cx_tunnel *cx_tunnel_take(struct cx_tunnel_table *table);
void cx_tunnel_give(struct cx_tunnel_table *table, struct cx_tunnel *tunnel);

uint32_t cx_tunnel_number(const struct cx_tunnel_table *table,
                          const struct cx_tunnel *tunnel);

/* Closes its origin's end, if there is one. */
void cx_tunnel_part(struct cx_tunnel_table *table, struct cx_tunnel *tunnel);

/* Hangs it on a job, or takes it off. */
void cx_tunnel_hang(struct cx_tunnel *tunnel, struct cx_job *job);
void cx_tunnel_unhang(struct cx_tunnel *tunnel);

#endif
