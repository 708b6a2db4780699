/* backend.c - see backend.h. */
#include "box/backend.h"

#include "box/native.h"
#include "box/ocirun.h"

const struct cx_backend *cx_backend_of(const struct cx_box *box)
{
	static const struct cx_backend native = {
		cx_native_plan, cx_native_run,
	};
	static const struct cx_backend oci = { cx_ocirun_plan, cx_ocirun_run };

	return box->runtime ? &oci : &native;
}
