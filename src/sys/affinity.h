/*
 * affinity.h - as many CPUs to see as there are to use.
 *
 * nproc, the JVM, OpenBLAS and make -j size themselves by the affinity mask,
 * not by the cgroup's quota; a mask as wide as the quota makes them right.
 */
#ifndef CX_SYS_AFFINITY_H
#define CX_SYS_AFFINITY_H

#include <stdint.h>
#include <sys/types.h>

enum { CX_AFFINITY_CPUS_MAX = 8192 };

/* A set of CPUs. */
struct cx_affinity {
	long size;   /* bytes of it that the kernel uses; 0: not known */
	unsigned long word[CX_AFFINITY_CPUS_MAX / (8 * sizeof(unsigned long))];
};

/*
 * Keeps the calling process, and what it forks from now on, on the CPU where
 * it is; *ret_may is what it might use before. A child that is put on a busy
 * CPU waits there for its turn, while its parent, asleep, leaves this one
 * idle. Where that can't be done nothing happens, and *ret_may isn't known.
 */
void cx_affinity_stay(struct cx_affinity *ret_may);

/*
 * All CPUs but the one that the caller is on (of *may, where that isn't NULL):
 * there a child goes that is to go on at the same time. A fork often leaves
 * both on one CPU, and either may be the first to run there, so it is moved by
 * both: by the child (pid 0) as the first that it does, and by its parent.
 * Where there is no other CPU nothing is moved.
 */
void cx_affinity_others(const struct cx_affinity *may,
                        struct cx_affinity *ret);
void cx_affinity_move(pid_t pid, const struct cx_affinity *there);

/* Has another process, one that stays, go on here: it is about to, and would
 * take turns with who runs where it is. */
void cx_affinity_fetch(pid_t other);

/* Takes it back, for the calling process. */
void cx_affinity_roam(const struct cx_affinity *may);

/* CPUs that cpu_milli thousandths of a CPU round up to, 1 at least. */
unsigned cx_affinity_width(uint64_t cpu_milli);

/* Narrows the calling process to that many of the CPUs that it may use (of
 * *may, where that isn't NULL and known), the one it runs on first, so that it
 * needn't move. Async-signal-safe. 0 or -1, errno. */
int cx_affinity_mirror(const struct cx_affinity *may, uint64_t cpu_milli);

#endif
