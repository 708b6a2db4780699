/* schema.h - a shape as JSON Schema, draft 2020-12. */
#ifndef CX_DATA_SCHEMA_H
#define CX_DATA_SCHEMA_H

#include "data/shape.h"

/* The schema of one shape, without $schema and title; owned by the caller. */
json_t *cx_schema_of(const struct cx_shape *shape);

#endif
