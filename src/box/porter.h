/*
 * porter.h - the network namespace of a sandbox that has no privileges.
 *
 * It has to belong to init's first user namespace, so it can't be made before
 * init is there; and it takes as long as all the mounts together. So it is made
 * by a process beside init, on another CPU, which shares its memory and
 * descriptors, and looks at it while init goes on in there. It is gone before
 * init enters the last user namespace, as who shares its memory may not.
 */
#ifndef CX_BOX_PORTER_H
#define CX_BOX_PORTER_H

#include <sys/types.h>

#include "sys/affinity.h"

struct cx_porter {
	pid_t pid;   /* 0: none */
	int fd;      /* the namespace, once it is there */
	int error;   /* errno, 0: it is as it should be; ECHILD until then */
	struct cx_affinity others; /* than init's CPU */
	char stack[32768] __attribute__((aligned(16)));
};

/* Begins, with the rights of the calling process; *porter must stay where it
 * is. Where it can't be begun, cx_porter_enter does all of it. */
void cx_porter_start(struct cx_porter *porter, const struct cx_affinity *may);

/* The calling process stands in the new namespace. proc_fd is a writable /proc:
 * by it the next process gets the porter's number. 0 or -1, errno. */
int cx_porter_enter(struct cx_porter *porter, int proc_fd);

/* The porter has ended: loopback is up in there, and there is nothing else (or
 * -1, ENOTUNIQ); or there is none to wait for. 0 or -1, errno. */
int cx_porter_end(struct cx_porter *porter);

#endif
