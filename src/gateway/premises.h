/*
 * premises.h - how the data path begins, changes and ends (flow.h).
 */
#ifndef CX_GATEWAY_PREMISES_H
#define CX_GATEWAY_PREMISES_H

#include "gateway/flow.h"

/* tunnels: places, as far as the descriptor limit has room. server: the
 * resolver's address, or NULL. The configuration's terrain is read, and our
 * interfaces' addresses are added to it. */
int cx_premises_start(struct cx_flow *flow, uint32_t tunnels,
                      const char *server, struct cx_err *err);
void cx_premises_done(struct cx_flow *flow);

/* The configuration is read again: what is judged from now on is judged by
 * it; on failure the old one stands. */
int cx_premises_reload(void *flow, struct cx_err *err);

/* The job's listeners are served. 0, or -1 and errno. */
int cx_premises_begin_job(void *flow, struct cx_job *job);

/* All its tunnels end now, by reset; with listening its listeners stay. */
void cx_premises_cut_job(void *flow, struct cx_job *job, bool listening);

/* A listener that all share; owned from now on. 0, or -1 and errno. */
int cx_premises_share(struct cx_flow *flow, int fd);

/* Shared listeners are closed; what runs goes on. */
void cx_premises_close(struct cx_flow *flow);

#endif
