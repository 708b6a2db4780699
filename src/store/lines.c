/* lines.c - see lines.h. */
#include "store/lines.h"

#include <errno.h>

#include "base/mem.h"

enum { BLOCK = 2 * CX_LINES_MAX };

void cx_lines_open(int fd, uint64_t at, struct cx_lines *ret)
{
	*ret = (struct cx_lines){ .fd = fd, .at = at, .loaded = at };
}

void cx_lines_done(struct cx_lines *lines)
{
	free(lines->data);
	lines->data = NULL;
}

bool cx_lines_is_torn(const struct cx_lines *lines)
{
	return lines->long_torn || lines->loaded + lines->have > lines->at;
}

/* Moves what is left to the front and reads on; the bytes read or -1. */
static ssize_t load(struct cx_lines *lines)
{
	size_t used = (size_t)(lines->at - lines->loaded);
	ssize_t n;

	if (!lines->data)
		lines->data = cx_mem_grow(NULL, BLOCK, 1);
	memmove(lines->data, lines->data + used, lines->have - used);
	lines->have -= used;
	lines->loaded = lines->at;
	do
		n = pread(lines->fd, lines->data + lines->have,
		          BLOCK - lines->have,
		          (off_t)(lines->loaded + lines->have));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		lines->have += (size_t)n;
	return n;
}

/* Drops blocks until a newline is at hand: 1, 0 at the end, -1. */
static int skip_long(struct cx_lines *lines)
{
	uint64_t begin = lines->at;
	ssize_t n;

	for (;;) {
		char *from = lines->data + (lines->at - lines->loaded);
		size_t left = lines->have - (size_t)(from - lines->data);
		char *end = lines->data && left ? memchr(from, '\n', left)
		                                : NULL;

		if (end) {
			lines->at += (uint64_t)(end - from) + 1;
			return 1;
		}
		lines->at += left;
		n = load(lines);
		if (n > 0)
			continue;
		lines->at = begin;
		lines->loaded = begin;
		lines->have = 0;
		lines->long_torn = true;
		return (int)n;
	}
}

int cx_lines_next(struct cx_lines *lines, const char **ret_line,
                  size_t *ret_size)
{
	for (;;) {
		size_t used = (size_t)(lines->at - lines->loaded);
		size_t left = lines->have - used;
		char *from = lines->data ? lines->data + used : NULL;
		char *end = from && left ? memchr(from, '\n', left) : NULL;
		ssize_t n;

		if (end && end - from <= CX_LINES_MAX) {
			*ret_line = from;
			*ret_size = (size_t)(end - from);
			lines->at += *ret_size + 1;
			return 1;
		}
		if (left > CX_LINES_MAX) {
			*ret_line = NULL;
			*ret_size = 0;
			return skip_long(lines);
		}
		n = load(lines);
		if (n <= 0)
			return (int)n;
	}
}
