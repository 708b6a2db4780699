/*
 * allowance.h - what a job in a tier with a gateway may reach, and how many
 * bytes it may pass: what is asked for, narrowed by the organization's ceiling
 * and the carrier's caveats.
 */
#ifndef CX_RUN_ALLOWANCE_H
#define CX_RUN_ALLOWANCE_H

#include "run/egress.h"

enum { CX_ALLOWANCE_HOSTS_MAX = 512, CX_ALLOWANCE_PORTS_MAX = 16 };

struct cx_allowance {
	char **host;            /* of tier allowlist; owned */
	size_t hosts;
	uint16_t port[CX_ALLOWANCE_PORTS_MAX];
	size_t ports;           /* 1 at least */
	uint64_t max_bytes;     /* both ways, of this document */
	uint64_t job_bytes;     /* of all its job's commands */
};

/* Of tier, which cx_egress_resolve found for the same. Nothing left of the
 * ports is CX_E_DENIED_PORT, more of them or of hosts than a gateway takes
 * CX_E_INPUT_INVALID. */
int cx_allowance_make(const json_t *section, const struct cx_egress_wish *wish,
                      const struct cx_config *config, const char *org,
                      const struct cx_caveats *caveats, enum cx_tier tier,
                      struct cx_allowance *ret, struct cx_err *err);

/* {hosts, ports, maxBytes, jobBytes}, for who carries it out; and back. */
json_t *cx_allowance_write(const struct cx_allowance *allowance);
bool cx_allowance_read(const json_t *value, struct cx_allowance *ret);

void cx_allowance_done(struct cx_allowance *allowance);

#endif
