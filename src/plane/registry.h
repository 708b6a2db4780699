/*
 * registry.h - runs and jobs in cx.db.
 *
 * A run is keyed on (orgId, runId) and belongs to a user; agent, posture and
 * pinned spec come from its row, never from a document. A job is a
 * conversation's: bound to org and user, made by cx-run open without a run.
 * Only cx-run opens the registry, and only for a session or a document that
 * names a run or a job.
 */
#ifndef CX_PLANE_REGISTRY_H
#define CX_PLANE_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/session.h"
#include "store/db.h"

enum { CX_REGISTRY_ID_MAX = 29 }; /* "j-" + 26 letters + NUL */

/* How a run or a job stands. */
enum cx_registry_state {
	CX_REGISTRY_LIVE,
	CX_REGISTRY_ENDED,      /* closed */
	CX_REGISTRY_OVER_QUOTA, /* ended by its disk quota */
};

struct cx_run_row {
	char user_id[257];
	char agent_id[257];     /* "" when none */
	char posture[16];       /* agent.yaml's, or what stands there */
	char package_posture[16]; /* package.yaml's, likewise */
	bool pinned;            /* an environment was resolved for it */
	enum cx_registry_state state;
};

/* "j-" and 26 characters of lower-case base32 randomness. */
int cx_registry_make_id(char ret_id[CX_REGISTRY_ID_MAX], struct cx_err *err);

/* id has exactly that form. */
bool cx_registry_is_id(const char *id);

/* Writes session's run, of agent (NULL or "": none said), or finds it live,
 * session's own and the agent's (nothing changes). CX_E_RUN_OWNER_DIVERGED,
 * CX_E_RUN_NOT_LIVE. */
int cx_registry_open_run(struct cx_db *db, const struct cx_session *session,
                         const char *agent, int64_t now, struct cx_err *err);

/* The run again (S5): CX_E_RUN_NOT_LIVE when there is no row or it has ended,
 * CX_E_RUN_OWNER_DIVERGED when org or user isn't the session's,
 * CX_E_JOB_ENDED when its disk quota ended it. */
int cx_registry_check_run(struct cx_db *db, const struct cx_session *session,
                          struct cx_run_row *ret, struct cx_err *err);

/* The run's row where something else says that it's live: 1, 0 when there is
 * none, -1 with CX_E_RUN_OWNER_DIVERGED when it isn't session's own. */
int cx_registry_look_run(struct cx_db *db, const struct cx_session *session,
                         struct cx_run_row *ret, struct cx_err *err);

/* Makes a job of session's org and user. */
int cx_registry_open_job(struct cx_db *db, const struct cx_session *session,
                         int64_t now, char ret_id[CX_REGISTRY_ID_MAX],
                         struct cx_err *err);

/* The job is there, session's own and live, else CX_E_JOB_ENDED (which tells
 * a stranger no more than its owner). */
int cx_registry_check_job(struct cx_db *db, const struct cx_session *session,
                          const char *id, struct cx_err *err);

/* The number of the job's next commands: the first of count, from 1 up. */
int cx_registry_number_job(struct cx_db *db, const char *id, size_t count,
                           uint64_t *ret_first, struct cx_err *err);

/* How a workspace's run or job stands: 1, 0 when there is no row, -1. */
int cx_registry_find_run(struct cx_db *db, const char *org_id,
                         const char *run_id, enum cx_registry_state *ret,
                         struct cx_err *err);
int cx_registry_find_job(struct cx_db *db, const char *id,
                         enum cx_registry_state *ret, struct cx_err *err);

/* Ends session's own run or job; ending it again changes nothing. One that
 * isn't there or isn't session's own is refused as by check. */
int cx_registry_end_run(struct cx_db *db, const struct cx_session *session,
                        enum cx_registry_state state, int64_t now,
                        struct cx_err *err);
int cx_registry_end_job(struct cx_db *db, const struct cx_session *session,
                        const char *id, enum cx_registry_state state,
                        int64_t now, struct cx_err *err);

#endif
