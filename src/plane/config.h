/*
 * config.h - the configuration, read once at start.
 *
 * $CX_CONFIG, else $XDG_CONFIG_HOME/cx/config.yaml (or ~/.config), else
 * /etc/cx/config.yaml; the first that is there is the whole configuration. A
 * file that can't be read, doesn't parse, or holds a key that
 * plane/setting doesn't know, is CX_E_CONFIG_INVALID with its JSON pointer.
 * Without a file no parser is entered.
 *
 * CX_L0_IMAGE stands over l0, CX_GATEWAY over egress.gateway (where they
 * aren't empty), and a set CX_EXECUTION_PLANE_ROLLOUT, empty or not, over
 * rollout.
 */
#ifndef CX_PLANE_CONFIG_H
#define CX_PLANE_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/binding.h"
#include "model/quota.h"
#include "model/tier.h"

enum cx_config_sync {
	CX_CONFIG_SYNC_GROUP, /* writers share a flush */
	CX_CONFIG_SYNC_NONE,
	CX_CONFIG_SYNC_EACH,
};

enum {
	CX_CONFIG_PORTS_MAX = 64,
	CX_CONFIG_NAMES_MAX = 64,
	CX_CONFIG_FILE_MAX_BYTES = 1 << 20,
};

/* Texts are never NULL unless it says so, and live as long as the struct. */
struct cx_config {
	json_t *tree;              /* the checked file, or NULL; owned */
	char *file;                /* its path, NULL without one; owned */
	const char *l0;            /* reference of the base, NULL when unset */
	bool rollout;              /* exactly "on" */
	const char *rollout_text;  /* as it stood there; NULL when unset */
	enum cx_placement placement;
	const char *runtime;       /* "native", a name or a path */
	const char *default_org, *default_user; /* NULL when unset */
	uint32_t uid_first, uid_count; /* count 0: ours to choose */
	struct cx_quota limits;
	const char *env_name[CX_CONFIG_NAMES_MAX + 1]; /* NULL-ended */
	enum cx_tier egress_tier;  /* default_internet by default */
	const char *gateway;       /* "auto", "none" or an absolute path */
	uint16_t port[CX_CONFIG_PORTS_MAX]; /* 80, 443 by default */
	size_t port_count;
	uint64_t egress_max_bytes;
	const char *log_path;      /* of destinations; NULL: there is none */
	uint64_t log_max_bytes, log_keep;
	const char *hook_liveness, *hook_command_policy; /* NULL when unset */
	const char *hook_stdio, *hook_teardown;          /* NULL when unset */
	int64_t seal_ttl, seal_max_ttl, seal_skew;       /* seconds */
	enum cx_config_sync audit_sync;
	const char *store_shared;  /* "/var/lib/cx" by default */
};

int cx_config_load(struct cx_config *ret, struct cx_err *err);
void cx_config_done(struct cx_config *config);

#define CX_AUTO_CONFIG __attribute__((cleanup(cx_config_done)))

/* The settings of an organization, NULL when it has none. Borrowed. */
const json_t *cx_config_org(const struct cx_config *config, const char *org);

/* orgs.ID.execution is off. */
bool cx_config_org_is_off(const struct cx_config *config, const char *org);

/* agents.ID.posture ("inherit", "on", "off"), NULL when there is none. */
const char *cx_config_posture(const struct cx_config *config,
                              const char *agent);

#endif
