/*
 * tail.h - where the log ends, cached in the lock file.
 *
 * A cache and never the truth: it is believed only while it is whole, of this
 * boot, and the segment's files have the sizes that it names.
 */
#ifndef CX_STORE_TAIL_H
#define CX_STORE_TAIL_H

#include <stdbool.h>
#include <stdint.h>

struct cx_tail {
	uint64_t first;       /* first index of the newest segment */
	uint64_t previous;    /* that of the one before; first if none */
	uint64_t next;        /* index of the next record */
	uint64_t event_bytes; /* size of seg-<first>.ndjson */
	uint64_t meta_bytes;  /* size of seg-<first>.meta */
	uint64_t day;         /* of the last record, 20261130; 0 if none */
	uint64_t gap;         /* records that couldn't be written since */
};

struct cx_tail_boot { uint8_t byte[16]; };

/* Which start of the machine this is; zeros where the kernel doesn't say. */
void cx_tail_boot_now(struct cx_tail_boot *ret);

enum cx_tail_state {
	CX_TAIL_NONE,     /* no cache, or a broken one */
	CX_TAIL_OLD_BOOT, /* written before the machine was last started */
	CX_TAIL_SOUND,
};

/* *ret is filled unless CX_TAIL_NONE. */
enum cx_tail_state cx_tail_load(int lock_fd, const struct cx_tail_boot *boot,
                                struct cx_tail *ret);

/* In place, so that it works on a full disk as well. 0 or -1, errno. */
int cx_tail_save(int lock_fd, const struct cx_tail_boot *boot,
                 const struct cx_tail *tail);

#endif
