/*
 * egress.h - how far a command may reach: what is asked for, narrowed by the
 * organization's ceiling and the carrier's caveats. Nothing widens it.
 */
#ifndef CX_RUN_EGRESS_H
#define CX_RUN_EGRESS_H

#include <stddef.h>

#include "data/json.h"
#include "data/shape.h"
#include "model/caveat.h"
#include "model/tier.h"
#include "plane/config.h"

/* The members of the section. */
extern const struct cx_shape cx_egress_member[];

/* The command line's --tier and --host. */
struct cx_egress_wish {
	const char *tier;           /* NULL: none given */
	const char *const *host;
	size_t host_count;
};

/*
 * The tier of section (NULL: absent) for org. What was asked for outright and
 * a caveat forbids is CX_E_CAVEAT_REFUSED; what wasn't is narrowed.
 */
int cx_egress_resolve(const json_t *section, const struct cx_egress_wish *wish,
                      const struct cx_config *config, const char *org,
                      const struct cx_caveats *caveats, enum cx_tier *ret,
                      struct cx_err *err);

/* An entry of --host within its grammar, else CX_E_USAGE. */
int cx_egress_check_host(const char *entry, struct cx_err *err);

/* A tier that needs a gateway has one, or can have one of its own:
 * CX_E_EGRESS_GATEWAY_REQUIRED. */
int cx_egress_require(enum cx_tier tier, const struct cx_config *config,
                      struct cx_err *err);

#endif
