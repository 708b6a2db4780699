/* session.c - see session.h. */
#include "model/session.h"

#include "base/promise.h"
#include "base/str.h"
#include "model/invisible.h"

static const char RESERVED[] = "cx:";

static bool is_blank(const char *text)
{
	return !text || cx_invisible_whole(text);
}

/* An id's own grammar, whichever id it is. */
static int check_id(const char *text, const char *name, struct cx_err *err)
{
	if (strlen(text) > CX_SESSION_ID_MAX_BYTES)
		cx_err_set(err, CX_E_INPUT_INVALID, "%s is over %d bytes",
		           name, CX_SESSION_ID_MAX_BYTES);
	else if (!CX_PROMISE(session_id_plain, !cx_str_has_control(text)))
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "%s holds a control character, a bidirectional "
		           "mark or a line separator", name);
	else if (!CX_PROMISE(session_id_visible, !cx_invisible_in(text)))
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "%s holds a character that can't be seen, so it "
		           "would look like another id; leave out U+00AD, "
		           "U+200B and the like, and spaces but U+0020", name);
	else
		return 0;
	return cx_err_at(err, "/%s", name);
}

static int check_caller(const char *text, const char *name, struct cx_err *err)
{
	if (!CX_PROMISE(session_identified, !is_blank(text))) {
		cx_err_set(err, CX_E_UNIDENTIFIABLE_CALLER,
		           "no_session: %s is missing or empty, so nothing "
		           "could be attributed; name it in the session",
		           name);
		return cx_err_at(err, "/%s", name);
	}
	return check_id(text ? text : "", name, err);
}

static int check_run(enum cx_surface surface, const char *run_id,
                     struct cx_err *err)
{
	bool agent = surface == CX_SURFACE_AGENT;

	if (!CX_PROMISE(agent_names_run, !agent || !is_blank(run_id)))
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "a session of surface agent must name its run: "
		           "put its id into runId");
	else if (!CX_PROMISE(run_only_of_agent, agent || !run_id))
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "a session of surface %s carries no run: leave "
		           "runId out", cx_surface_text(surface));
	else
		return run_id ? check_id(run_id, "runId", err) : 0;
	return cx_err_at(err, "/runId");
}

static void copy(char to[CX_SESSION_ID_MAX_BYTES + 1], const char *text)
{
	size_t length = text ? strnlen(text, CX_SESSION_ID_MAX_BYTES) : 0;

	if (length > 0)
		memcpy(to, text, length);
	to[length] = '\0';
}

int cx_session_make(enum cx_session_kind kind, const char *org_id,
                    const char *user_id, const char *surface,
                    const char *run_id, struct cx_session *ret,
                    struct cx_err *err)
{
	enum cx_surface found = CX_SURFACE_NONE;
	bool reserved;

	if (check_caller(org_id, "orgId", err) < 0 ||
	    check_caller(user_id, "userId", err) < 0)
		return -1;
	reserved = org_id && cx_str_starts(org_id, RESERVED);
	if (!CX_PROMISE(org_not_reserved,
	                kind == CX_SESSION_EITHER ||
	                reserved == (kind == CX_SESSION_RESERVED))) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "an orgId that begins with \"cx:\" is reserved, "
		           "and no tenant's");
		return cx_err_at(err, "/orgId");
	}
	if (!surface || !cx_surface_find(surface, &found)) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "surface must be \"chat\", \"agent\" or \"task\"");
		return cx_err_at(err, "/surface");
	}
	if (check_run(found, run_id, err) < 0)
		return -1;
	copy(ret->org_id, org_id);
	copy(ret->user_id, user_id);
	copy(ret->run_id, run_id);
	ret->surface = found;
	return 0;
}

bool cx_session_is_id(const char *text)
{
	struct cx_err unused;

	return !is_blank(text) && check_id(text, "orgId", &unused) == 0;
}

bool cx_session_is_reserved(const struct cx_session *session)
{
	return cx_str_starts(session->org_id, RESERVED);
}
