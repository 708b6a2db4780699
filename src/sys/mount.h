/*
 * mount.h - file systems and binds, attached at paths relative to the working
 * folder.
 *
 * New ones by mount(2), which is one call where fsopen and what follows it are
 * ten; what is to be detached by fsopen and fsmount; copies by open_tree,
 * move_mount and mount_setattr (Linux 5.2, 5.12), else by mount(2). A target
 * is resolved where the caller stands, so it must stand in the tree that it
 * builds. Async-signal-safe. All return 0 (or a descriptor) or -1 and errno.
 */
#ifndef CX_SYS_MOUNT_H
#define CX_SYS_MOUNT_H

#include <stddef.h>
#include <sys/mount.h>

/* As MOUNT_ATTR_*, and as MS_*: the four numbers are the same. */
enum {
	CX_MOUNT_READ_ONLY = 1,
	CX_MOUNT_NOSUID = 2,
	CX_MOUNT_NODEV = 4,
	CX_MOUNT_NOEXEC = 8,
};

/* value NULL is a flag. name and value are below 256 bytes. */
struct cx_mount_option {
	const char *name;
	const char *value;
};

/* Ends with a NULL name. Attaches a new file system of the kernel's. */
int cx_mount_new(const char *type, const struct cx_mount_option *option,
                 unsigned attributes, const char *target);

/* The same, detached: its descriptor. ENOSYS has no fallback. */
int cx_mount_detached(const char *type, const struct cx_mount_option *option,
                      unsigned attributes);

/* A detached copy of the mount at path below dir_fd ("" for dir_fd itself),
 * with attributes added. The mount must be of the caller's namespace. */
int cx_mount_copy(int dir_fd, const char *path, unsigned attributes);

/* Attaches a detached tree. */
int cx_mount_attach(int tree_fd, const char *target);

/* cx_mount_copy of a path and cx_mount_attach, in one, or bind and remount. */
int cx_mount_bind(const char *path, const char *target, unsigned attributes);

/* The root of a mount that stands once more, with the same attributes. */
int cx_mount_again(const char *mounted, const char *target);

/* Adds attributes to the mount at target. */
int cx_mount_restrict(const char *target, unsigned attributes);

/* The mount whose root is the working folder stands at target from now on; the
 * working folder goes with it. target is an absolute path. */
int cx_mount_move_here(const char *target);

/* Nothing goes from or to another namespace's mounts any more. */
int cx_mount_private(void);

#endif
