/* ocifilter.h - share/seccomp/NAME.list in the form of an OCI runtime's
 * configuration, made at build time as the program itself is. */
#ifndef CX_SYS_OCIFILTER_H
#define CX_SYS_OCIFILTER_H

#include <stddef.h>

#include "sys/seccomp.h"

/* The JSON text of linux.seccomp; static storage. */
const char *cx_ocifilter_get(enum cx_seccomp_program program,
                             size_t *ret_size);

#endif
