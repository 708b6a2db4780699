/* binding.c - see binding.h. */
#include "model/binding.h"

#include <string.h>

#include "base/count.h"
#include "base/promise.h"

int cx_binding_posture(const char *text, enum cx_posture *ret,
                       struct cx_err *err)
{
	static const char *const name[] = { "inherit", "on", "off" };

	if (!text)
		text = name[CX_POSTURE_INHERIT];
	for (size_t i = 0; i < CX_COUNT(name); i++)
		if (strcmp(text, name[i]) == 0) {
			*ret = (enum cx_posture)i;
			return 0;
		}
	return cx_err_set(err, CX_E_POSTURE_UNKNOWN,
	                  "posture '%.40s': it is inherit, on or off (in "
	                  "YAML on and off need quotes)", text);
}

int cx_binding_placement(const char *text, enum cx_placement *ret,
                         struct cx_err *err)
{
	static const char *const name[] = { "local", "remote", "disabled" };

	for (size_t i = 0; i < CX_COUNT(name); i++)
		if (strcmp(text, name[i]) == 0) {
			*ret = (enum cx_placement)i;
			return 0;
		}
	return cx_err_set(err, CX_E_CONFIG_INVALID,
	                  "placement '%.40s': it is local, remote or disabled",
	                  text);
}

bool cx_binding_rolled_out(const char *text)
{
	return text && CX_PROMISE(rollout_exact, strcmp(text, "on") == 0);
}

enum cx_readiness cx_binding_readiness(bool rolled_out, bool has_key,
                                       bool round_trip)
{
	if (!rolled_out)
		return CX_READINESS_DISABLED;
	if (!CX_PROMISE(ready_key, has_key) ||
	    !CX_PROMISE(ready_trip, round_trip))
		return CX_READINESS_UNAVAILABLE;
	return CX_READINESS_READY;
}

const char *cx_binding_readiness_text(enum cx_readiness readiness)
{
	switch (readiness) {
	case CX_READINESS_DISABLED:
		return "disabled";
	case CX_READINESS_UNAVAILABLE:
		return "unavailable";
	case CX_READINESS_READY:
		return "ready";
	}
	return "unavailable";
}

enum cx_posture cx_binding_effective(const struct cx_binding *binding)
{
	if (binding->package != CX_POSTURE_INHERIT)
		return binding->package;
	if (binding->configured != CX_POSTURE_INHERIT)
		return binding->configured;
	return binding->agent;
}

/* Why execution is off, NULL when it isn't. */
static const char *off_by(const struct cx_binding *binding)
{
	if (!CX_PROMISE(placement_disabled,
	                binding->placement != CX_PLACEMENT_DISABLED))
		return "placement is disabled in the configuration";
	if (!CX_PROMISE(org_execution, !binding->org_off))
		return "the organization's execution is off in the "
		       "configuration";
	if (!CX_PROMISE(posture_off,
	                cx_binding_effective(binding) != CX_POSTURE_OFF))
		return "the agent's posture is off";
	return NULL;
}

static enum cx_bound refuse_off(const struct cx_binding *binding,
                                const char *why, struct cx_err *err)
{
	if (binding->declared == CX_DECLARED_NONE)
		cx_err_set(err, CX_E_EXECUTION_DISABLED, "%s", why);
	else
		cx_err_set(err, CX_E_ENVIRONMENT_AGENT_DISABLED,
		           "an environment is declared, but %s", why);
	return CX_BOUND_REFUSED;
}

static enum cx_bound decide_declared(const struct cx_binding *binding,
                                     struct cx_err *err)
{
	if (binding->declared == CX_DECLARED_INVALID) {
		cx_err_set(err, CX_E_ENVIRONMENT_INVALID,
		           "the declared environment doesn't parse; see "
		           "cx-build lint");
		return CX_BOUND_REFUSED;
	}
	if (CX_PROMISE(environment_ready,
	               binding->readiness == CX_READINESS_READY))
		return CX_BOUND_LAYER;
	cx_err_set(err, CX_E_ENVIRONMENT_UNAVAILABLE,
	           binding->readiness == CX_READINESS_DISABLED
	           ? "a declared environment runs only when the plane is "
	             "rolled out; set CX_EXECUTION_PLANE_ROLLOUT=on"
	           : "a declared environment runs only when the plane is "
	             "ready; see cx-run ready");
	return CX_BOUND_REFUSED;
}

enum cx_bound cx_binding_decide(const struct cx_binding *binding,
                                struct cx_err *err)
{
	const char *why = off_by(binding);

	if (why)
		return refuse_off(binding, why, err);
	if (!CX_PROMISE(placement_remote,
	                binding->placement != CX_PLACEMENT_REMOTE)) {
		cx_err_set(err, CX_E_PLACEMENT_UNAVAILABLE,
		           "placement remote isn't available; set placement "
		           "to local");
		return CX_BOUND_REFUSED;
	}
	if (binding->declared == CX_DECLARED_NONE)
		return CX_BOUND_BASE;
	return decide_declared(binding, err);
}
