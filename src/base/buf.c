/* buf.c - see buf.h. */
#include "base/buf.h"

#include <stdarg.h>

#include "base/mem.h"

char *cx_buf_room(struct cx_buf *buf, size_t size)
{
	size_t need = buf->size + size + 1;

	if (need > buf->capacity) {
		size_t capacity = buf->capacity ? buf->capacity : 128;

		while (capacity < need)
			capacity += capacity / 2 + 1;
		buf->data = cx_mem_grow(buf->data, capacity, 1);
		buf->capacity = capacity;
	}
	return buf->data + buf->size;
}

void cx_buf_add(struct cx_buf *buf, const void *data, size_t size)
{
	char *at = cx_buf_room(buf, size);

	if (size)
		memcpy(at, data, size);
	buf->size += size;
	buf->data[buf->size] = '\0';
}

void cx_buf_text(struct cx_buf *buf, const char *text)
{
	cx_buf_add(buf, text, strlen(text));
}

void cx_buf_byte(struct cx_buf *buf, char byte)
{
	char *at = cx_buf_room(buf, 1);

	at[0] = byte;
	at[1] = '\0';
	buf->size++;
}

void cx_buf_print(struct cx_buf *buf, const char *format, ...)
{
	CX_AUTO_FREE char *text = NULL;
	va_list arg;

	va_start(arg, format);
	if (vasprintf(&text, format, arg) < 0)
		text = NULL;
	va_end(arg);
	if (text)
		cx_buf_text(buf, text);
}

void cx_buf_clear(struct cx_buf *buf)
{
	buf->size = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

char *cx_buf_take(struct cx_buf *buf)
{
	char *text = buf->data ? buf->data : cx_mem_text("");

	*buf = (struct cx_buf){ 0 };
	return text;
}

void cx_buf_done(struct cx_buf *buf)
{
	free(buf->data);
	*buf = (struct cx_buf){ 0 };
}
