/*
 * seccomp.h - the system calls that a command, the running gateway, and the
 * writer of its log may make.
 *
 * The programs are made at build time from share/seccomp/NAME.list (whose
 * head describes the form) and are loaded ready-made: no library, no heap.
 * Order of judgement: architecture (i386 and x32 are refused), then a
 * balanced tree over the numbers. Unknown calls get ENOSYS, so that programs
 * fall back as on an older kernel; known dangerous ones get EPERM.
 */
#ifndef CX_SYS_SECCOMP_H
#define CX_SYS_SECCOMP_H

#include <linux/filter.h>
#include <stddef.h>

enum cx_seccomp_program {
	CX_SECCOMP_COMMAND, /* command.list: what runs for a caller */
	CX_SECCOMP_GATEWAY, /* gateway.list: cx-gateway once it serves */
	CX_SECCOMP_SCRIBE,  /* scribe.list: what writes its log */
	CX_SECCOMP_COUNT
};

/* The ready program and its number of instructions; static storage. */
const struct sock_filter *cx_seccomp_get(enum cx_seccomp_program program,
                                         size_t *ret_count);

/* Puts the program over the calling process for good; no_new_privs must be
 * set. Async-signal-safe. 0 or -1, errno. */
int cx_seccomp_load(enum cx_seccomp_program program);

#endif
