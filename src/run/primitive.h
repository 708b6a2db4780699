/*
 * primitive.h - each thing that a sandbox is made of, tried, as JSON.
 */
#ifndef CX_RUN_PRIMITIVE_H
#define CX_RUN_PRIMITIVE_H

#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"

/* One of them: {name, ok, need, about, detail, blocker, remedy}. */
extern const struct cx_shape cx_primitive_shape;

/* All that this process would use, in the order of use; owned. */
json_t *cx_primitive_list(const struct cx_broker *broker);

#endif
