/*
 * group.h - the control group of a box.
 *
 * Where init isn't born in it, the group is made beside init: by a process
 * that shares our memory and descriptors, on another CPU, once the network
 * stands. (It takes as long as a third of what init does meanwhile, and a
 * scheduler leaves the two on one CPU.)
 */
#ifndef CX_BOX_GROUP_H
#define CX_BOX_GROUP_H

#include <sys/types.h>

#include "sys/affinity.h"

struct cx_outside;

struct cx_group_aside {
	pid_t pid;    /* 0: none */
	pid_t owner;  /* whose memory it is */
	int error;    /* errno, 0: it stands; ECHILD until either is so */
	struct cx_affinity others; /* than the CPU where init is made */
	char stack[24576] __attribute__((aligned(16)));
};

/* Init is about to be made: begins with its group, if it isn't to be born in
 * it. 0 or -1, errno. */
int cx_group_begin(struct cx_outside *outside);

/* The group stands, and init was told to enter it. 0 or -1, errno. */
int cx_group_make(struct cx_outside *outside);

/* Whatever was begun has come to its end. */
void cx_group_settle(struct cx_outside *outside);

#endif
