/* ocifilter.c - see ocifilter.h. */
#include "sys/ocifilter.h"

#include "seccomp-oci-command.inc"

const char *cx_ocifilter_get(enum cx_seccomp_program program,
                             size_t *ret_size)
{
	switch (program) {
	case CX_SECCOMP_COMMAND:
	case CX_SECCOMP_COUNT:
		break;
	}
	*ret_size = sizeof command_oci - 1;
	return command_oci;
}
