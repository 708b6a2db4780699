/* chunk.c - see chunk.h. */
#include "model/chunk.h"

#include "base/hex.h"
#include "model/headline.h"

enum { DIGITS_MAX = 15 };

static bool is_visible(char c)
{
	return c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7f);
}

static enum cx_chunk_state read_size(struct cx_chunk *chunk, char c)
{
	int digit = cx_hex_digit(c);

	if (digit >= 0) {
		chunk->left = chunk->left << 4 | (unsigned)digit;
		return ++chunk->digits > DIGITS_MAX ? CX_CHUNK_BAD
		                                    : CX_CHUNK_SIZE;
	}
	if (chunk->digits == 0)
		return CX_CHUNK_BAD;
	if (c == '\r')
		return CX_CHUNK_SIZE_LF;
	return c == ';' ? CX_CHUNK_EXTENSION : CX_CHUNK_BAD;
}

static enum cx_chunk_state end_size(struct cx_chunk *chunk)
{
	bool last = chunk->left == 0;

	chunk->digits = 0;
	chunk->line = 0;
	return last ? CX_CHUNK_TRAILER : CX_CHUNK_DATA;
}

/* A field after the last chunk: passed on by nobody who has sense, but it may
 * stand there. */
static enum cx_chunk_state read_trailer(struct cx_chunk *chunk, char c)
{
	if (chunk->state == CX_CHUNK_TRAILER && c == '\r')
		return CX_CHUNK_LAST_LF;
	if (chunk->state == CX_CHUNK_TRAILER && !cx_headline_is_token(&c, 1))
		return CX_CHUNK_BAD;
	if (c == '\r')
		return CX_CHUNK_FIELD_LF;
	return is_visible(c) ? CX_CHUNK_FIELD : CX_CHUNK_BAD;
}

static enum cx_chunk_state on(char c, char wanted, enum cx_chunk_state next)
{
	return c == wanted ? next : CX_CHUNK_BAD;
}

static enum cx_chunk_state step(struct cx_chunk *chunk, char c)
{
	switch (chunk->state) {
	case CX_CHUNK_SIZE:
		return read_size(chunk, c);
	case CX_CHUNK_EXTENSION:
		if (c == '\r')
			return CX_CHUNK_SIZE_LF;
		return is_visible(c) ? CX_CHUNK_EXTENSION : CX_CHUNK_BAD;
	case CX_CHUNK_SIZE_LF:
		return c == '\n' ? end_size(chunk) : CX_CHUNK_BAD;
	case CX_CHUNK_DATA_CR:
		return on(c, '\r', CX_CHUNK_DATA_LF);
	case CX_CHUNK_DATA_LF:
		return on(c, '\n', CX_CHUNK_SIZE);
	case CX_CHUNK_TRAILER:
	case CX_CHUNK_FIELD:
		return read_trailer(chunk, c);
	case CX_CHUNK_FIELD_LF:
		return on(c, '\n', CX_CHUNK_TRAILER);
	case CX_CHUNK_LAST_LF:
		return on(c, '\n', CX_CHUNK_DONE);
	case CX_CHUNK_DATA:
	case CX_CHUNK_DONE:
	case CX_CHUNK_BAD:
		break;
	}
	return CX_CHUNK_BAD;
}

static bool is_long(const struct cx_chunk *chunk)
{
	bool trails = chunk->state >= CX_CHUNK_TRAILER;

	return chunk->line > (trails ? CX_CHUNK_TRAILER_MAX
	                             : CX_CHUNK_LINE_MAX);
}

size_t cx_chunk_read(struct cx_chunk *chunk, const char *data, size_t size)
{
	size_t at = 0;

	while (at < size && chunk->state < CX_CHUNK_DONE) {
		if (chunk->state == CX_CHUNK_DATA) {
			size_t part = size - at;

			if (part > chunk->left)
				part = (size_t)chunk->left;
			at += part;
			chunk->left -= part;
			if (chunk->left == 0)
				chunk->state = CX_CHUNK_DATA_CR;
			continue;
		}
		chunk->state = step(chunk, data[at]);
		if (chunk->state == CX_CHUNK_BAD)
			break;
		at++;
		chunk->line++;
		if (chunk->state == CX_CHUNK_DATA ||
		    chunk->state == CX_CHUNK_DATA_CR)
			chunk->line = 0;
		else if (chunk->state != CX_CHUNK_DONE && is_long(chunk))
			chunk->state = CX_CHUNK_BAD;
	}
	return at;
}

bool cx_chunk_may_begin(const char *data, size_t size)
{
	struct cx_chunk chunk = { 0 };

	cx_chunk_read(&chunk, data, size);
	return chunk.state != CX_CHUNK_BAD;
}
