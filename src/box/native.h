/* native.h - the backend that is our own: namespaces, mounts and all. */
#ifndef CX_BOX_NATIVE_H
#define CX_BOX_NATIVE_H

#include "box/box.h"

/* As cx_box_plan and cx_box_run of box.h. */
int cx_native_plan(const struct cx_box *box, struct cx_plan *ret,
                   struct cx_err *err);
int cx_native_run(const struct cx_box *box, struct cx_report *ret,
                  struct cx_err *err);

#endif
