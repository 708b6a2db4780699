/*
 * cordon.h - the system calls that the running gateway may make
 * (share/seccomp/gateway.list), as seccomp.h has those of a command.
 */
#ifndef CX_SYS_CORDON_H
#define CX_SYS_CORDON_H

#include <linux/filter.h>
#include <stddef.h>

/* The ready program and its number of instructions; static storage. */
const struct sock_filter *cx_cordon_get(size_t *ret_count);

/* Puts it over the calling process for good; no_new_privs must be set. 0 or
 * -1, errno. */
int cx_cordon_load(void);

#endif
