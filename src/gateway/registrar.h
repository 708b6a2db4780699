/*
 * registrar.h - what may be asked of a gateway about its jobs, and the answers.
 *
 * A question is {do: register | unregister | revoke | usage | reload} with
 * registration and listeners, or token or jobId. An answer is {decision,
 * status, reason}, with usage, or with message and pointer.
 */
#ifndef CX_GATEWAY_REGISTRAR_H
#define CX_GATEWAY_REGISTRAR_H

#include "data/json.h"
#include "gateway/job.h"

/* What the data path does when told so; each gets context. */
struct cx_registrar_path {
	void *context;
	/* The job's listeners are to be served. 0, or -1 and errno: then the
	 * registration is refused and they are closed. */
	int (*begin)(void *context, struct cx_job *job);
	/* Its tunnels are to be closed before this returns: open is 0 then.
	 * With listening the listeners stay, to refuse what comes. */
	void (*cut)(void *context, struct cx_job *job, bool listening);
	/* The configuration is to be read again; what runs goes on. */
	int (*reload)(void *context, struct cx_err *err);
};

/* Of jobs that were unregistered. */
struct cx_registrar_sum {
	uint64_t jobs, up, down, tunnels, denied;
};

struct cx_registrar {
	struct cx_job_table *table;
	const struct cx_terrain *terrain; /* of every job */
	struct cx_registrar_path path;
	struct cx_registrar_sum ended;
	struct cx_entry *room;            /* for what is being read */
};

/* table and terrain are borrowed. 0 or -1, errno. */
int cx_registrar_start(struct cx_job_table *table,
                       const struct cx_terrain *terrain,
                       const struct cx_registrar_path *path,
                       struct cx_registrar *ret);
void cx_registrar_done(struct cx_registrar *registrar);

/* The answer to a question that came over connection owner with fd[fds];
 * those that a job keeps are -1 afterwards, the others are the caller's to
 * close. Owned by the caller. */
json_t *cx_registrar_answer(struct cx_registrar *registrar, int owner,
                            const char *text, size_t size, int *fd,
                            size_t fds);

/* The answer to one who may ask nothing. */
json_t *cx_registrar_unauthorized(void);

/* The connection is gone: the jobs whose life it was end. */
void cx_registrar_leave(struct cx_registrar *registrar, int owner);

#endif
