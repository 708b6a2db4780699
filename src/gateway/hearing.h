/*
 * hearing.h - cx-gateway decide: a policy and a request, a verdict, by the
 * code that judges live traffic.
 */
#ifndef CX_GATEWAY_HEARING_H
#define CX_GATEWAY_HEARING_H

#include "gateway/terrain.h"

struct cx_hearing {
	struct cx_terrain_book *book; /* borrowed */
	struct cx_entry *entry;       /* owned: room for one policy's */
};

/* {policy, request, dns?}, in place of which doc holds the verdict. context
 * is the struct cx_hearing. */
int cx_hearing_take(json_t *doc, void *context, struct cx_err *err);

void cx_hearing_done(struct cx_hearing *hearing);

#endif
