/*
 * clone.h - new processes, as fork(2) and as vfork(2) with a stack of its own.
 *
 * Async-signal-safe. The calling process has one thread.
 */
#ifndef CX_SYS_CLONE_H
#define CX_SYS_CLONE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * As fork: 0 in the child, its pid in the parent, -1 and errno. flags are
 * CLONE_NEW*. cgroup_fd (a v2 folder, -1 for none) is where the child is born;
 * without clone3 (Linux 5.7 for that) it goes there by itself before this
 * returns 0, or ends with 127. The child's death is told by SIGCHLD.
 */
pid_t cx_clone_fork(uint64_t flags, int cgroup_fd);

/*
 * As vfork: runs enter(context) in a child that shares this memory, and
 * returns its pid once it has executed a program or ended. Descriptors, signal
 * handlers and credentials are the child's own; errno is shared. It stands on
 * stack, whose end is stack + size, aligned to 16.
 */
pid_t cx_clone_vfork(int (*enter)(void *context), void *context, char *stack,
                     size_t size);

/* As cx_clone_vfork, but both run at once, in new namespaces by flags; the
 * child must not outlive stack, whose end is stack + size, nor use errno. */
pid_t cx_clone_beside(int (*enter)(void *context), void *context, char *stack,
                      size_t size, uint64_t flags);

/* Ends such a child with 0: the last word of its function, which must not
 * return where its stack may be gone by then. It isn't said to never return,
 * since the address sanitizer would then clean up a stack it doesn't know. */
int cx_clone_end(void);

/* A namespace of pid's by its name in /proc/PID/ns, to be entered; -1, errno.
 * Async-signal-safe. */
int cx_clone_namespace(pid_t pid, const char *name);

/* Waits for pid; its wait status, -1 and errno. EINTR goes on. */
int cx_clone_wait(pid_t pid);

#endif
