/*
 * scan.h - one JSON text into one jansson value, in one pass.
 *
 * jansson's own reader knows line and column, but neither the pointer nor a
 * depth of our choosing, and asks a callback for each byte. This one builds
 * jansson's values directly: linear, without recursion, every ancestor on a
 * stack of CX_JSON_DEPTH_MAX, so that a fault knows its pointer and the way
 * of a good document pays nothing for it. test/fuzz/json.c holds it to
 * jansson's verdict and values.
 */
#ifndef CX_DATA_SCAN_H
#define CX_DATA_SCAN_H

#include <jansson.h>

#include "base/err.h"

/* As cx_json_parse. */
int cx_scan_text(const char *text, size_t size, const char *what,
                 json_t **ret_value, struct cx_err *err);

#endif
