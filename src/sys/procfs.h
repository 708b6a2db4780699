/*
 * procfs.h - /proc of a pid namespace, without what it tells of the machine.
 */
#ifndef CX_SYS_PROCFS_H
#define CX_SYS_PROCFS_H

#include <stdbool.h>
#include <stddef.h>

/* Mounts proc at target (relative), writable for the moment; init, which isn't
 * dumpable, can't be looked into. pid_only hides all but the processes (Linux
 * 5.8). EPERM: the caller's namespace is another
 * user's and its own /proc has something mounted over it. 0 or -1, errno. */
int cx_procfs_mount(const char *target, bool pid_only);

/* The names below /proc that are covered: files, and (is_folder) folders. */
struct cx_procfs_mask {
	const char *name;
	bool is_folder;
	bool for_root; /* only root outside may open it anyway */
};
extern const struct cx_procfs_mask cx_procfs_mask[];
extern const size_t cx_procfs_mask_count;

/* Covers what is there of them with the device null_path and the empty folder
 * empty_path; those for root only where root is true. The working folder holds
 * "proc". 0 or -1, errno. */
int cx_procfs_cover(bool root, const char *null_path, const char *empty_path);

/* From now on the calling process's user namespace can have no more of them
 * below it. proc_fd is a writable proc mount. 0 or -1, errno. */
int cx_procfs_no_userns(int proc_fd);

#endif
