/*
 * heritage.h - what a caller hands down to its children that a command mustn't
 * have: a real-time scheduling class (no CPU quota binds it), an exemption
 * from the out-of-memory killer (no memory limit could be enforced), and a
 * personality (no address randomisation, another machine's name).
 */
#ifndef CX_SYS_HERITAGE_H
#define CX_SYS_HERITAGE_H

/* Gives them up. proc_fd is /proc as the calling process sees itself in it.
 * Async-signal-safe. 0 or -1, errno. */
int cx_heritage_drop(int proc_fd);

#endif
