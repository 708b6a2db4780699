/* ocifilter.h - share/seccomp/command.list in the form of an OCI runtime's
 * configuration, made at build time as the program itself is. */
#ifndef CX_SYS_OCIFILTER_H
#define CX_SYS_OCIFILTER_H

#include <stddef.h>

/* The JSON text of linux.seccomp; static storage. */
const char *cx_ocifilter_get(size_t *ret_size);

#endif
