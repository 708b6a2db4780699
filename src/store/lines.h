/*
 * lines.h - a file's whole lines, one after the other, in bounded memory.
 */
#ifndef CX_STORE_LINES_H
#define CX_STORE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CX_LINES_MAX = 65536 }; /* bytes of a line that is given out */

struct cx_lines {
	int fd;          /* borrowed; read by pread(2) */
	uint64_t at;     /* where the next line begins */
	uint64_t loaded; /* file offset of data[0] */
	size_t have;     /* bytes in data */
	char *data;      /* owned */
	bool long_torn;  /* the end is one over-long line without newline */
};

void cx_lines_open(int fd, uint64_t at, struct cx_lines *ret);

/*
 * The next line that ends in a newline, without it; valid until the next
 * call. 1; 0 where no whole line is left; -1 and errno. A line over
 * CX_LINES_MAX is skipped whole and given out as NULL with size 0.
 */
int cx_lines_next(struct cx_lines *lines, const char **ret_line,
                  size_t *ret_size);

/* Bytes stand behind the last whole line. Ask after a 0. */
bool cx_lines_is_torn(const struct cx_lines *lines);

void cx_lines_done(struct cx_lines *lines);

#endif
