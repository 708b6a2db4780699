/* sparsemap.c - see sparsemap.h. */
#include "store/sparsemap.h"

#include "base/mem.h"
#include "store/tarhead.h"

/* Decimal numbers, a line each, in whole blocks. */
struct reader {
	int fd;
	char block[CX_TARBLOCK_BYTES];
	size_t at;
	uint64_t left; /* of the member */
};

static int refuse(struct cx_err *err)
{
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "the tar file has a sparse map that is none");
}

static int next_byte(struct reader *reader, char *ret, struct cx_err *err)
{
	if (reader->at == sizeof reader->block) {
		if (reader->left < sizeof reader->block)
			return refuse(err);
		if (cx_tarhead_read(reader->fd, reader->block,
		                    sizeof reader->block, err) < 0)
			return -1;
		reader->left -= sizeof reader->block;
		reader->at = 0;
	}
	*ret = reader->block[reader->at++];
	return 0;
}

static int next_number(struct reader *reader, uint64_t *ret,
                       struct cx_err *err)
{
	uint64_t number = 0;
	unsigned digits = 0;
	char byte = 0;

	for (;;) {
		if (next_byte(reader, &byte, err) < 0)
			return -1;
		if (byte == '\n' && digits)
			break;
		if (byte < '0' || byte > '9' || ++digits > 18)
			return refuse(err);
		number = number * 10 + (uint64_t)(byte - '0');
	}
	*ret = number;
	return 0;
}

int cx_sparsemap_read(int fd, uint64_t size, uint64_t real_size,
                      struct cx_sparsemap *ret, struct cx_err *err)
{
	struct reader reader = { .fd = fd, .at = CX_TARBLOCK_BYTES,
	                         .left = size };
	uint64_t count, end = 0, bytes = 0;

	if (next_number(&reader, &count, err) < 0)
		return -1;
	if (count > CX_SPARSEMAP_MAX || count > size / 4)
		return refuse(err);
	ret->piece = cx_mem_array((size_t)count, sizeof *ret->piece);
	for (; ret->count < count; ret->count++) {
		struct cx_regular_piece *piece = &ret->piece[ret->count];
		uint64_t length;

		if (next_number(&reader, &piece->from, err) < 0 ||
		    next_number(&reader, &length, err) < 0)
			return -1;
		piece->to = piece->from + length;
		if (piece->from < end || piece->to > real_size)
			return refuse(err);
		end = piece->to;
		bytes += length;
	}
	return bytes == reader.left ? 0 : refuse(err);
}

void cx_sparsemap_done(struct cx_sparsemap *map)
{
	free(map->piece);
	*map = (struct cx_sparsemap){ 0 };
}
