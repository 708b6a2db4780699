/*
 * health.h - how the log is, at a glance: for cx-audit status.
 *
 * Reads names, sizes and the last record's number, never the records, so it
 * costs the same however long the log is.
 */
#ifndef CX_AUDIT_HEALTH_H
#define CX_AUDIT_HEALTH_H

#include "data/shape.h"

extern const struct cx_shape cx_health_shape;

/* The status document, owned by the caller. A store or log that isn't there
 * has no records. */
int cx_health_look(json_t **ret_document, struct cx_err *err);

#endif
