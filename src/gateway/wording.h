/*
 * wording.h - the documents of cx-gateway decide, as tables.
 */
#ifndef CX_GATEWAY_WORDING_H
#define CX_GATEWAY_WORDING_H

#include "data/shape.h"

extern const struct cx_shape cx_wording_case;    /* {policy, request, dns?} */
extern const struct cx_shape cx_wording_verdict;

#endif
