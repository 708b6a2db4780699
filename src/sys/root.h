/*
 * root.h - leaving the host's tree for a new root.
 */
#ifndef CX_SYS_ROOT_H
#define CX_SYS_ROOT_H

/*
 * The working folder, the root of a mount in this namespace, becomes "/" of
 * this process and of the namespace, and every mount of before is let go.
 * Where there is no pivot_root (an initramfs is the root) the mount is moved
 * over "/" and entered: the mounts of before stay, out of reach of whoever
 * can't mount. Async-signal-safe. 0 or -1, errno.
 */
int cx_root_change(void);

#endif
