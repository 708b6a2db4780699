/*
 * dev.h - /dev: five devices, a terminal's name, and links.
 */
#ifndef CX_SYS_DEV_H
#define CX_SYS_DEV_H

#include <stdbool.h>
#include <stddef.h>

/* The names of the devices; NULL-ended. */
extern const char *const cx_dev_name[];

/* The numbers of the device of that name; false when it isn't one of them. */
bool cx_dev_number(const char *name, unsigned *ret_major, unsigned *ret_minor);

/* Mounts a tmpfs of a few KiB at "dev" below the working folder, still
 * writable, with the links and the folder "shm". 0 or -1, errno. */
int cx_dev_mount(void);

/* Puts the device of that name in: a node of its own where own_node (then no
 * two sandboxes share an inode to lock), else the machine's, bound. */
int cx_dev_add(const char *name, bool own_node);

#endif
