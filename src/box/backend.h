/*
 * backend.h - who makes the sandbox: we, or an OCI runtime.
 *
 * A backend is two functions. Both make the same plan, on which the same
 * assertions hold, and fill the same report.
 */
#ifndef CX_BOX_BACKEND_H
#define CX_BOX_BACKEND_H

#include "box/box.h"

/* As cx_box_plan and cx_box_run of box.h. */
struct cx_backend {
	int (*plan)(const struct cx_box *box, struct cx_plan *ret,
	            struct cx_err *err);
	int (*run)(const struct cx_box *box, struct cx_report *ret,
	           struct cx_err *err);
};

/* By box->runtime. */
const struct cx_backend *cx_backend_of(const struct cx_box *box);

#endif
