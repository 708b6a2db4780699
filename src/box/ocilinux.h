/* ocilinux.h - the member "linux" of an OCI runtime's configuration:
 * namespaces, ids, limits of the control group, masks and filter. */
#ifndef CX_BOX_OCILINUX_H
#define CX_BOX_OCILINUX_H

#include "box/ocispec.h"

/* Owned. */
json_t *cx_ocilinux_make(const struct cx_ocispec *spec);

#endif
