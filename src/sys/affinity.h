/*
 * affinity.h - as many CPUs to see as there are to use.
 *
 * nproc, the JVM, OpenBLAS and make -j size themselves by the affinity mask,
 * not by the cgroup's quota; a mask as wide as the quota makes them right.
 */
#ifndef CX_SYS_AFFINITY_H
#define CX_SYS_AFFINITY_H

#include <stdint.h>

/* CPUs that cpu_milli thousandths of a CPU round up to, 1 at least. */
unsigned cx_affinity_width(uint64_t cpu_milli);

/* Narrows the calling process to that many of the CPUs that it may use, the
 * one it runs on first, so that it needn't move. Async-signal-safe.
 * 0 or -1, errno. */
int cx_affinity_mirror(uint64_t cpu_milli);

#endif
