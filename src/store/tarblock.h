/*
 * tarblock.h - the 512-byte header of POSIX tar (ustar).
 */
#ifndef CX_STORE_TARBLOCK_H
#define CX_STORE_TARBLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { CX_TARBLOCK_BYTES = 512 };

/* As IEEE Std 1003.1 lays it out. */
struct cx_tarblock {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12];
	char checksum[8], type, link[100], magic[6], version[2];
	char user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct cx_tarblock) == CX_TARBLOCK_BYTES, "one block");

/* Fills the fields that every header has; name and link are cut. */
void cx_tarblock_make(struct cx_tarblock *ret, char type, const char *name,
                      const char *link, unsigned mode, uint64_t size,
                      uint64_t mtime);

/* The checksum fits; an all-zero block (the end) doesn't. */
bool cx_tarblock_is_valid(const struct cx_tarblock *block);
bool cx_tarblock_is_end(const struct cx_tarblock *block);

/* An octal field (or, for a size, GNU's base 256); false when it is none. */
bool cx_tarblock_number(const char *field, unsigned size, uint64_t *ret);

/* Zeros that fill size up to whole blocks. */
unsigned cx_tarblock_padding(uint64_t size);

#endif
