/* binder.c - see binder.h. */
#include "run/binder.h"

#include "base/promise.h"
#include "data/shape.h"
#include "run/readiness.h"

static const struct cx_shape package = { .kind = CX_SHAPE_TEXT };

#define PACKAGES(name_) \
	{ .name = name_, .kind = CX_SHAPE_LIST, .sub = &package }

/* As far as the binding has to know: what else an entry must be, the recipe
 * that the layer was made of has settled. */
static const struct cx_shape declaration_member[] = {
	PACKAGES("os"), PACKAGES("pip"), PACKAGES("npm"), { .name = NULL },
};
static const struct cx_shape declaration = {
	.kind = CX_SHAPE_OBJECT, .sub = declaration_member,
};

static enum cx_declared find_declared(const json_t *doc,
                                      const struct cx_run_row *row)
{
	const json_t *environment = json_object_get(doc, "environment");
	struct cx_err ignored;

	if (environment && cx_shape_check(&declaration, environment, "",
	                                  CX_E_ENVIRONMENT_INVALID,
	                                  &ignored) < 0)
		return CX_DECLARED_INVALID;
	if (environment || !CX_PROMISE(pinned_run, !row || !row->pinned))
		return CX_DECLARED_VALID;
	return CX_DECLARED_NONE;
}

/* A posture that nobody knows refuses, whatever stands over it. */
static int read_posture(const char *text, enum cx_posture *ret,
                        struct cx_err *err)
{
	if (CX_PROMISE(posture_known, cx_binding_posture(
			text && *text ? text : NULL, ret, err) == 0))
		return 0;
	return -1;
}

static int fill(const struct cx_broker *broker, const json_t *doc,
                const struct cx_session *session,
                const struct cx_run_row *row, struct cx_binding *ret,
                struct cx_err *err)
{
	const struct cx_config *config = &broker->config;

	*ret = (struct cx_binding){
		.placement = config->placement,
		.readiness = CX_READINESS_READY,
		.org_off = cx_config_org_is_off(config, session->org_id),
		.declared = find_declared(doc, row),
	};
	if (!row)
		return 0;
	if (read_posture(row->package_posture, &ret->package, err) < 0 ||
	    read_posture(cx_config_posture(config, row->agent_id),
	                 &ret->configured, err) < 0)
		return -1;
	return read_posture(row->posture, &ret->agent, err);
}

/* The refusal, with the section that it is about. */
static int refuse(const json_t *doc, struct cx_err *err)
{
	if ((err->code == CX_E_ENVIRONMENT_UNAVAILABLE ||
	     err->code == CX_E_ENVIRONMENT_INVALID) &&
	    json_object_get(doc, "environment"))
		cx_err_at(err, "/environment");
	return -1;
}

int cx_binder_admit(const struct cx_broker *broker, const json_t *doc,
                    const struct cx_session *session,
                    const struct cx_run_row *row, struct cx_err *err)
{
	struct cx_binding binding;

	if (fill(broker, doc, session, row, &binding, err) < 0)
		return -1;
	/* what it declares is for whoever runs it to judge */
	if (binding.declared == CX_DECLARED_INVALID)
		binding.declared = CX_DECLARED_VALID;
	return cx_binding_decide(&binding, err) == CX_BOUND_REFUSED ? -1 : 0;
}

int cx_binder_decide(struct cx_broker *broker, const json_t *doc,
                     const struct cx_session *session,
                     const struct cx_run_row *row, enum cx_bound *ret,
                     struct cx_err *err)
{
	struct cx_binding binding;

	if (fill(broker, doc, session, row, &binding, err) < 0)
		return -1;
	*ret = cx_binding_decide(&binding, err);
	if (*ret == CX_BOUND_LAYER) {
		/* only now does it matter, and only now is it asked */
		if (cx_readiness_ask(broker, &binding.readiness, err) < 0)
			return -1;
		*ret = cx_binding_decide(&binding, err);
	}
	return *ret == CX_BOUND_REFUSED ? refuse(doc, err) : 0;
}
