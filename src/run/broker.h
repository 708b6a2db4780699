/*
 * broker.h - what one cx-run process has open, each when it is first needed.
 */
#ifndef CX_RUN_BROKER_H
#define CX_RUN_BROKER_H

#include <stdbool.h>

#include "base/err.h"
#include "plane/carrier.h"
#include "plane/config.h"
#include "plane/record.h"
#include "plane/sealer.h"
#include "run/courier.h"
#include "store/db.h"
#include "store/image.h"
#include "store/state.h"
#include "sys/subtree.h"

struct cx_stand;

/* Members point at each other: never copied once it is open. */
struct cx_broker {
	struct cx_state state;
	struct cx_state shared;       /* of store.shared; fd -1: none */
	struct cx_config config;
	struct cx_db db;              /* costs nothing until used */
	struct cx_sealer sealer;
	struct cx_record_sink sink;
	enum cx_carrier_use use;      /* what carriers must be for; execute */
	struct cx_image image;        /* the base, once it was asked for */
	bool has_image;
	struct cx_subtree subtree;    /* for groups, once it was asked for */
	bool has_subtree;
	struct cx_stand *stand;       /* a worker's; NULL: none */
	struct cx_courier courier;    /* to a gateway, once it was asked for */
	bool leaves;                  /* the process ends with its document */
};

#define CX_BROKER_NONE ((struct cx_broker){ \
	.state = CX_STATE_NONE, .shared = CX_STATE_NONE, \
	.image = CX_IMAGE_EMPTY, .courier = CX_COURIER_NONE })

/* Configuration and state folder; nothing else is touched. */
int cx_broker_open(struct cx_broker *ret, struct cx_err *err);

/* Opens the base image. CX_E_IMAGE_MISSING and its like. */
int cx_broker_need_image(struct cx_broker *broker, struct cx_err *err);

/* Refuses a quota that no group holds here: CX_E_QUOTA_UNENFORCEABLE. */
int cx_broker_hold(struct cx_broker *broker, const struct cx_quota *quota,
                   struct cx_err *err);

void cx_broker_done(struct cx_broker *broker);

#define CX_AUTO_BROKER __attribute__((cleanup(cx_broker_done)))

#endif
