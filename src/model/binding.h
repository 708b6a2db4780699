/*
 * binding.h - what a command runs on: the base, its layer, or nothing.
 *
 * A pure function of what the operator configured, what the agent's manifests
 * say and whether the plane is ready (claims R3 to R6). It never trades a
 * declared environment for the base.
 */
#ifndef CX_MODEL_BINDING_H
#define CX_MODEL_BINDING_H

#include <stdbool.h>

#include "base/err.h"

enum cx_posture { CX_POSTURE_INHERIT, CX_POSTURE_ON, CX_POSTURE_OFF };

enum cx_placement {
	CX_PLACEMENT_LOCAL,
	CX_PLACEMENT_REMOTE,
	CX_PLACEMENT_DISABLED,
};

/* Three states, never a fourth. */
enum cx_readiness {
	CX_READINESS_DISABLED,    /* not opted in */
	CX_READINESS_UNAVAILABLE, /* opted in, no key or no round trip */
	CX_READINESS_READY,
};

enum cx_declared {
	CX_DECLARED_NONE,
	CX_DECLARED_VALID,
	CX_DECLARED_INVALID, /* doesn't parse, or can't be read */
};

struct cx_binding {
	enum cx_placement placement;
	enum cx_readiness readiness;
	bool org_off;                 /* orgs.ID.execution is off */
	enum cx_posture package;      /* package.yaml: over both others */
	enum cx_posture configured;   /* agents.ID.posture: over agent.yaml */
	enum cx_posture agent;        /* agent.yaml */
	enum cx_declared declared;
};

enum cx_bound { CX_BOUND_BASE, CX_BOUND_LAYER, CX_BOUND_REFUSED };

/* "inherit", "on", "off" exactly; anything else is CX_E_POSTURE_UNKNOWN. NULL
 * (nothing written) is inherit. */
int cx_binding_posture(const char *text, enum cx_posture *ret,
                       struct cx_err *err);

/* "local", "remote", "disabled" exactly; else CX_E_CONFIG_INVALID. */
int cx_binding_placement(const char *text, enum cx_placement *ret,
                         struct cx_err *err);

/* The rollout flag counts only as exactly "on". NULL is off. */
bool cx_binding_rolled_out(const char *text);

/* Opted in, a provenance key, a completed round trip. */
enum cx_readiness cx_binding_readiness(bool rolled_out, bool has_key,
                                       bool round_trip);
const char *cx_binding_readiness_text(enum cx_readiness readiness);

/* The posture that counts: the first that isn't inherit. */
enum cx_posture cx_binding_effective(const struct cx_binding *binding);

/* CX_BOUND_REFUSED fills *err with the class and what to do about it. */
enum cx_bound cx_binding_decide(const struct cx_binding *binding,
                                struct cx_err *err);

#endif
