/*
 * intake.h - an audit event from a JSON document: the first allowlist.
 *
 * The document is hostile. It has exactly the event's members, each of its
 * type, grammar and enumeration, or it is refused whole; nothing is dropped
 * in silence, nothing is kept beside.
 */
#ifndef CX_AUDIT_INTAKE_H
#define CX_AUDIT_INTAKE_H

#include "data/shape.h"
#include "model/event.h"

/* The event, and {index, at, event} as it is read back. */
extern const struct cx_shape cx_intake_shape;
extern const struct cx_shape cx_intake_row_shape;

/* The texts of *ret point into document. audit_field_refused with the pointer
 * of the member that doesn't fit. */
int cx_intake_event(const json_t *document, struct cx_event *ret,
                    struct cx_err *err);

#endif
