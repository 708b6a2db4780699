/*
 * chunk.h - the chunked body of a message (RFC 9112, 7.1), read strictly and
 * passed on as it is.
 */
#ifndef CX_MODEL_CHUNK_H
#define CX_MODEL_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CX_CHUNK_LINE_MAX = 256,       /* a size with its extension */
	CX_CHUNK_TRAILER_MAX = 8192,
};

enum cx_chunk_state {
	CX_CHUNK_SIZE,
	CX_CHUNK_EXTENSION,
	CX_CHUNK_SIZE_LF,
	CX_CHUNK_DATA,
	CX_CHUNK_DATA_CR,
	CX_CHUNK_DATA_LF,
	CX_CHUNK_TRAILER,   /* at the beginning of a line */
	CX_CHUNK_FIELD,
	CX_CHUNK_FIELD_LF,
	CX_CHUNK_LAST_LF,
	CX_CHUNK_DONE,
	CX_CHUNK_BAD,
};

/* All zero is the beginning. */
struct cx_chunk {
	enum cx_chunk_state state;
	uint64_t left;      /* of the data */
	uint16_t line;      /* bytes of the line so far */
	uint8_t digits;
};

/* As far as they go, the bytes may be the beginning of such a body. */
bool cx_chunk_may_begin(const char *data, size_t size);

/* How many of the bytes belong to the body: all, unless it is DONE or BAD. */
size_t cx_chunk_read(struct cx_chunk *chunk, const char *data, size_t size);

#endif
