/*
 * tally.h - what a sandbox's processes use, counted from outside by /proc.
 *
 * For what no counter tells: files that are deleted and still open, and CPU
 * time where there is no group. Some 15 microseconds for each process.
 */
#ifndef CX_BOX_TALLY_H
#define CX_BOX_TALLY_H

#include <stdint.h>
#include <sys/types.h>

/* CPU time of init_pid and all below it, the dead that were reaped included,
 * in steps of the kernel's tick; -1 when init can't be read. */
int64_t cx_tally_cpu_us(pid_t init_pid);

/* KiB of the blocks of deleted files, on the file system of folder_fd, that
 * processes below init_pid hold open; each file once. */
uint64_t cx_tally_deleted_kib(pid_t init_pid, int folder_fd);

#endif
