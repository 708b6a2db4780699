/* opaque.c - see opaque.h. */
#include "data/opaque.h"

#include <sys/mman.h>

#include "base/b64.h"
#include "base/mem.h"
#include "base/str.h"

enum { LONG_BYTES = 64 * 1024 };

/*
 * jansson copies every text, and one that is made of a stream's megabytes
 * would stand in memory twice. So a long one is copied from pages that are
 * nowhere but in the page table, and the text is put into its copy, which
 * nobody has seen yet.
 */
static json_t *make_room(size_t size, char **ret_text)
{
	union { const char *given; char *taken; } cast;
	void *nothing = size < LONG_BYTES ? MAP_FAILED :
	                mmap(NULL, size, PROT_READ,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CX_AUTO_FREE char *zeroes = NULL;
	json_t *text;

	if (nothing == MAP_FAILED)
		zeroes = cx_mem_new(size + 1);
	text = json_stringn_nocheck(zeroes ? zeroes : nothing, size);
	if (!zeroes)
		munmap(nothing, size);
	cast.given = json_string_value(text);
	*ret_text = cast.taken;
	return text;
}

/* Bytes of the valid text without NUL that begins there. */
static size_t good_run(const char *data, size_t size)
{
	size_t at = 0;

	while (at < size && data[at]) {
		size_t length = cx_str_utf8(data + at, size - at);

		if (length == 0)
			break;
		at += length;
	}
	return at;
}

static size_t repair(const char *data, size_t size, char *ret)
{
	size_t written = 0;

	for (size_t at = 0; at < size; at++) {
		size_t run = good_run(data + at, size - at);

		if (ret)
			memcpy(ret + written, data + at, run);
		written += run;
		at += run;
		if (at == size)
			break;
		if (ret)
			memcpy(ret + written, "\xef\xbf\xbd", 3);
		written += 3;
	}
	return written;
}

json_t *cx_opaque_text(const char *data, size_t size)
{
	char *room;
	json_t *text = make_room(repair(data, size, NULL), &room);

	repair(data, size, room);
	return text;
}

json_t *cx_opaque_base64(const char *data, size_t size)
{
	size_t length = (size + 2) / 3 * 4;
	struct cx_buf room = { .capacity = length + 1 };
	json_t *text = make_room(length, &room.data);

	cx_b64_write(CX_B64_PADDED, data, size, &room);
	return text;
}
