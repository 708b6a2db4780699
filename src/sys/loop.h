/*
 * loop.h - a file as a block device.
 */
#ifndef CX_SYS_LOOP_H
#define CX_SYS_LOOP_H

enum { CX_LOOP_PATH_MAX = 32 };

/*
 * The device of the file, and its path in /dev: the one that it has already,
 * or a new one, which the kernel detaches when the last that uses it closes.
 * Two devices of one file would be two caches of it, so callers hold a lock of
 * the file's from before this until the device is mounted. -1 and errno.
 */
int cx_loop_open(int file_fd, char ret_path[CX_LOOP_PATH_MAX]);

#endif
