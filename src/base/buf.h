/* buf.h - a growing run of bytes with a cap; always NUL-terminated. */
#ifndef CX_BASE_BUF_H
#define CX_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct cx_buf {
	char *data;      /* owned; NULL while empty */
	size_t size;     /* bytes in use, final NUL not counted */
	size_t capacity;
};

/* Appends; the caller has capped what comes from outside. */
void cx_buf_add(struct cx_buf *buf, const void *data, size_t size);
void cx_buf_text(struct cx_buf *buf, const char *text);
void cx_buf_byte(struct cx_buf *buf, char byte);
void cx_buf_print(struct cx_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Room for size more bytes at the end; returns where they go. */
char *cx_buf_room(struct cx_buf *buf, size_t size);

void cx_buf_clear(struct cx_buf *buf);      /* size 0, memory kept */
char *cx_buf_take(struct cx_buf *buf);      /* the text, "" at least; owned */
void cx_buf_done(struct cx_buf *buf);

#define CX_AUTO_BUF __attribute__((cleanup(cx_buf_done)))

#endif
