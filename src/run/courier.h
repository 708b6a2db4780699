/*
 * courier.h - this process's connection to a gateway: to one that runs, or to
 * a private one that it starts.
 *
 * A private gateway is the cx-gateway beside our own program. Its only control
 * connection is a socket that we hold the other end of: when we are gone,
 * however, it ends. Its secret is random and goes down that socket first.
 */
#ifndef CX_RUN_COURIER_H
#define CX_RUN_COURIER_H

#include <sys/types.h>

#include "plane/config.h"
#include "plane/register.h"
#include "store/state.h"

struct cx_courier {
	struct cx_register reg;
	pid_t pid;              /* of the private one; 0: none */
};

#define CX_COURIER_NONE ((struct cx_courier){ .reg = CX_REGISTER_NONE })

/* Could there be one? Nothing is started. CX_E_EGRESS_GATEWAY_REQUIRED. */
int cx_courier_require(const struct cx_config *config, struct cx_err *err);

/* Is there one already? Else starts or connects. As above,
 * CX_E_EGRESS_REGISTRATION_FAILED, and where the configuration's log can't
 * stand where it says, CX_E_CONFIG_INVALID. */
int cx_courier_start(const struct cx_state *state,
                    const struct cx_config *config, struct cx_courier *courier,
                    struct cx_err *err);

/* Lets the connection go; a private gateway has ended when this returns. */
void cx_courier_done(struct cx_courier *courier);

#endif
