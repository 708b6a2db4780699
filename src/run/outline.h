/* outline.h - the documents that the verbs of cx-run read and write, for
 * --schema. */
#ifndef CX_RUN_OUTLINE_H
#define CX_RUN_OUTLINE_H

#include "data/shape.h"

extern const struct cx_shape cx_outline_order;   /* read by exec and spec */
extern const struct cx_shape cx_outline_result;  /* written by exec */
extern const struct cx_shape cx_outline_job;     /* open and close */

#endif
