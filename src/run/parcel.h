/*
 * parcel.h - all of --in and --out together, judged before anything of them
 * is copied.
 */
#ifndef CX_RUN_PARCEL_H
#define CX_RUN_PARCEL_H

#include <stddef.h>

#include "base/err.h"
#include "store/extent.h"

/* Paths of the command line; borrowed. */
struct cx_parcel {
	const char *const *path;
	size_t count;
};

/* Each has a last name of its own: CX_E_USAGE. */
int cx_parcel_check_in(const struct cx_parcel *parcel, struct cx_err *err);

/* The same, and each is a plain path below the workspace: CX_E_UNSAFE_PATH. */
int cx_parcel_check_out(const struct cx_parcel *parcel, struct cx_err *err);

/*
 * What the workspace at data_fd, which takes used now, would take with all of
 * an --in that can be read; what would be replaced is gone by then.
 * A hostile or vanishing source is for who copies it.
 */
void cx_parcel_weigh(const struct cx_parcel *parcel, int data_fd,
                     const struct cx_extent *used, struct cx_extent *ret);

/* CX_E_INPUT_INVALID when the workspace would be over max. */
int cx_parcel_admit(const struct cx_extent *extent,
                    const struct cx_extent *max, struct cx_err *err);

#endif
