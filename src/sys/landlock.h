/*
 * landlock.h - the second layer: which files, whatever the mounts say.
 *
 * If a mount were writable by mistake, or a mask missing, the command still
 * may write only where a grant says so. A kernel without Landlock is no
 * refusal: the first layer stands, and the result says that the second
 * doesn't.
 */
#ifndef CX_SYS_LANDLOCK_H
#define CX_SYS_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum cx_landlock_access {
	CX_LANDLOCK_READ,   /* read and execute */
	CX_LANDLOCK_DEVICE, /* read, write, ioctl; make nothing */
	CX_LANDLOCK_WRITE,  /* everything, moves between folders included,
	                       but device nodes and device ioctls */
};

struct cx_landlock_grant {
	const char *path;   /* as the calling process sees it */
	enum cx_landlock_access access;
	bool optional;      /* a missing path is passed over */
};

/* The kernel's ABI number, 0 without Landlock, -1 and errno when it can't be
 * asked. ABI 1 (5.13 to 5.18) breaks mv between folders for good and isn't
 * used. */
int cx_landlock_abi(void);

/* Restricts the calling process for good to the grants, and where the ABI has
 * them (6) to signals and abstract sockets of its own. no_new_privs must be
 * set. Async-signal-safe. Returns the ABI in force, 0 when the kernel has
 * none, -1 and errno when a grant couldn't be made. */
int cx_landlock_enter(const struct cx_landlock_grant *grant, size_t count);

#endif
