/*
 * hasher.h - SHA-256 beside the reading, for streams that are long.
 *
 * A stream's digest is one chain: a processor with SHA instructions does some
 * 1.4 GB/s of it, and to read as much in the same process brings that to 1.0.
 * So a long stream gets a process that digests, over memory that both share:
 * the launcher reads into one slot while the other is digested.
 *
 * The process holds one socket and nothing else, and dies with the launcher. If
 * it is gone before its time, the launcher digests what is left: every slot
 * keeps the chain's state from behind it, so no byte is lost or counted twice.
 */
#ifndef CX_BOX_HASHER_H
#define CX_BOX_HASHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "data/digest.h"

enum { CX_HASHER_SLOTS = 2, CX_HASHER_SLOT_BYTES = 256 * 1024 };

struct cx_hasher_job {
	uint32_t slot, stream, size;
};

struct cx_hasher_shared;

struct cx_hasher {
	struct cx_hasher_shared *shared; /* owned; NULL: there is none */
	pid_t pid;
	int fd;                          /* its socket; owned; -1: it is gone */
	struct cx_digest_stream digest[2];
	struct cx_hasher_job given[CX_HASHER_SLOTS]; /* oldest at first */
	unsigned first, count;
};

#define CX_HASHER_NONE { .shared = NULL, .fd = -1 }

/* Goes on with two streams from where they are. false: there is none, and
 * the caller digests as before. */
bool cx_hasher_start(const struct cx_digest_stream begun[2],
                     struct cx_hasher *ret);

/* Where the next CX_HASHER_SLOT_BYTES bytes may be read to; NULL: none is
 * free, until fd is readable and cx_hasher_hear was called. */
char *cx_hasher_slot(struct cx_hasher *hasher);

/* The slot holds size bytes of a stream (0, 1). Its bytes stay readable until
 * the next call of cx_hasher_slot. */
void cx_hasher_give(struct cx_hasher *hasher, unsigned stream, size_t size);

/* Takes back the slots that are done. */
void cx_hasher_hear(struct cx_hasher *hasher);

/* Waits for what was given, ends the process, and says where the streams are
 * now. Nothing where there is none. */
void cx_hasher_end(struct cx_hasher *hasher, struct cx_digest_stream *out,
                   struct cx_digest_stream *err);

#endif
