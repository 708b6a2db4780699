/* ocifilter.c - see ocifilter.h. */
#include "sys/ocifilter.h"

#include "seccomp-oci-command.inc"

const char *cx_ocifilter_get(size_t *ret_size)
{
	*ret_size = sizeof command_oci - 1;
	return command_oci;
}
