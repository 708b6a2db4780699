/*
 * porter.h - the network namespace of a sandbox that has no privileges.
 *
 * It has to belong to init's first user namespace, so it can't be made before
 * init is there; and it takes as long as all the mounts together. So it is made
 * by a process beside init, on another CPU, which shares its memory and
 * descriptors, and is gone before the command is made.
 */
#ifndef CX_BOX_PORTER_H
#define CX_BOX_PORTER_H

#include <sys/types.h>

#include "sys/affinity.h"

struct cx_porter {
	pid_t pid;   /* 0: none */
	int fd;      /* the namespace, once the porter has ended */
	int error;   /* errno, 0: it is made; ECHILD until either is so */
	struct cx_affinity others; /* than init's CPU */
	char stack[32768] __attribute__((aligned(16)));
};

/* Begins, with the rights of the calling process; *porter must stay where it
 * is. Where it can't be begun, cx_porter_enter does all of it. */
void cx_porter_start(struct cx_porter *porter, const struct cx_affinity *may);

/* The calling process stands in the new namespace, where loopback is up and
 * nothing else (or -1, ENOTUNIQ). proc_fd is a writable /proc: through it the
 * porter's process id is free again. 0 or -1, errno. */
int cx_porter_enter(struct cx_porter *porter, int proc_fd);

#endif
