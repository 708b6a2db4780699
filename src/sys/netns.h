/*
 * netns.h - a network namespace with loopback, and the proof that there is
 * nothing else in it.
 */
#ifndef CX_SYS_NETNS_H
#define CX_SYS_NETNS_H

#include <stdbool.h>

/* Brings loopback up in the calling process's namespace. 0 or -1, errno. */
int cx_netns_loopback(void);

/* Lets everybody in the calling process's namespace bind every port: nothing
 * of it is seen elsewhere. proc_fd: a /proc. 0 or -1, errno. */
int cx_netns_free_ports(int proc_fd);

/* *ret_alone: no interface but loopback is up (the kernel's own tunnel devices
 * stand in every namespace, down), and no route leads anywhere but over
 * loopback. 0 or -1, errno. */
int cx_netns_look(bool *ret_alone);

#endif
