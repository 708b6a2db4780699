/*
 * classify.h - which protected range an address lies in: cx-gateway classify.
 */
#ifndef CX_GATEWAY_CLASSIFY_H
#define CX_GATEWAY_CLASSIFY_H

#include "data/shape.h"
#include "gateway/terrain.h"

extern const struct cx_shape cx_classify_shape;        /* {addr} */
extern const struct cx_shape cx_classify_answer_shape;

/* {addr}, to which the answer is added. context is a struct
 * cx_terrain_book. */
int cx_classify_take(json_t *doc, void *context, struct cx_err *err);

#endif
