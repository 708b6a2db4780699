/*
 * session.h - who a command runs for.
 *
 * cx_session_make is the one choke point: what comes out holds exactly
 * {orgId, userId, surface, runId?}, each within its grammar, and both minting
 * and opening go through it. It authenticates nothing: it takes the identity
 * that its issuer resolved.
 */
#ifndef CX_MODEL_SESSION_H
#define CX_MODEL_SESSION_H

#include <stdbool.h>

#include "base/err.h"
#include "model/surface.h"

enum { CX_SESSION_ID_MAX_BYTES = 256 };

struct cx_session {
	char org_id[CX_SESSION_ID_MAX_BYTES + 1];
	char user_id[CX_SESSION_ID_MAX_BYTES + 1];
	char run_id[CX_SESSION_ID_MAX_BYTES + 1]; /* "" when there is none */
	enum cx_surface surface;
};

/* Whose a session may be: a tenant's, one of our own probe's reserved ones,
 * whose orgId begins with "cx:", or either's. */
enum cx_session_kind {
	CX_SESSION_TENANT,
	CX_SESSION_RESERVED,
	CX_SESSION_EITHER,
};

/*
 * Makes a session of its four texts; NULL is absent. CX_E_UNIDENTIFIABLE_CALLER
 * when org or user is absent or nothing in it can be seen; CX_E_INPUT_INVALID
 * for every other fault. err->pointer is "/orgId", "/userId", "/surface" or
 * "/runId". Messages never repeat the texts.
 *
 * Grammar: 1 to 256 bytes of UTF-8 without C0, C1, DEL, bidirectional controls
 * and what can't be seen (model/invisible.h). surface agent must name a run,
 * chat and task can't.
 */
int cx_session_make(enum cx_session_kind kind, const char *org_id,
                    const char *user_id, const char *surface,
                    const char *run_id, struct cx_session *ret,
                    struct cx_err *err);

/* An orgId, userId or runId within its grammar. */
bool cx_session_is_id(const char *text);

/* Its orgId begins with "cx:". */
bool cx_session_is_reserved(const struct cx_session *session);

#endif
