/*
 * visit.h - what the operator's log will say of a connection or a request,
 * while it lasts. Where there is no log, nothing of this does anything.
 *
 * A visit begins when something is asked for, is named once that is read,
 * judged once or more often, the last word standing, and told as one line
 * when it ends. What was never judged is not told.
 */
#ifndef CX_GATEWAY_VISIT_H
#define CX_GATEWAY_VISIT_H

#include "gateway/flow.h"

enum { CX_VISIT_HOST_BYTES = 256 };

struct cx_visit {
	int64_t wall_ms, begun_us;
	const char *decision;         /* NULL: it wasn't judged */
	const char *reason;
	const char *range;            /* the protected one, or NULL */
	const struct cx_job *blamed;  /* whose it is, where no job has it */
	uint16_t status, port;
	bool named;                   /* host is one, and port is its */
	bool reached;                 /* address was dialled */
	struct cx_addr address;
	uint64_t passed[CX_WAYS];
	char host[CX_VISIT_HOST_BYTES]; /* or what was asked for, cut */

	/* Of the origin at hand, which may serve more visits than one. */
	const char *admitted;         /* the reason */
	char exception[CX_DECIDE_ID_BYTES]; /* that was used, or "" */
};

/* Something is asked for by these bytes (NULL: nothing that is known yet); the
 * visit before, if there was one, has ended. */
void cx_visit_begin(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const char *asked, size_t size);

/* slot->target is what is asked for. */
void cx_visit_name(struct cx_tunnel *tunnel);

/* No job gets it, since this one may not have it: it is to end in this call. */
void cx_visit_blame(struct cx_tunnel *tunnel, const struct cx_job *job);

/* What was judged, a RESOLVE of a kept origin as an allow. */
void cx_visit_judge(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const struct cx_judgement *judgement);

/* An answer with this status and reason was all. */
void cx_visit_refuse(struct cx_flow *flow, struct cx_tunnel *tunnel,
                     uint16_t status, const char *reason);

/* A ceiling is met. */
void cx_visit_spend(struct cx_tunnel *tunnel);

/* The origin end is connected. */
void cx_visit_reach(struct cx_tunnel *tunnel);

/* The job asked its resolver for a name that it may not have: told as a visit
 * of its own, once a second, as it is asked for in two families. */
void cx_visit_refuse_name(struct cx_flow *flow, struct cx_job *job,
                          const char *name);

/* It has ended, and is told if it was judged. */
void cx_visit_end(struct cx_flow *flow, struct cx_tunnel *tunnel);

/* The same of the whole connection. */
void cx_visit_leave(struct cx_flow *flow, struct cx_tunnel *tunnel);

#endif
