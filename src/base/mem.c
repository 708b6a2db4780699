/* mem.c - see mem.h. */
#include "base/mem.h"

#include <stdarg.h>
#include <sys/mman.h>

static _Noreturn void out_of_memory(void)
{
	static const char line[] =
		"{\"error\":{\"class\":\"internal\","
		"\"message\":\"out of memory\"}}\n";

	if (write(STDOUT_FILENO, line, sizeof line - 1) < 0)
		_exit(71);
	_exit(71);
}

void *cx_mem_array(size_t count, size_t size)
{
	void *made = calloc(count ? count : 1, size ? size : 1);

	if (!made)
		out_of_memory();
	return made;
}

void *cx_mem_new(size_t size)
{
	return cx_mem_array(1, size);
}

void *cx_mem_grow(void *old, size_t count, size_t size)
{
	void *made = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!made)
		out_of_memory();
	return made;
}

void *cx_mem_room(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		out_of_memory();
	return room;
}

void cx_mem_room_done(void *room, size_t size)
{
	if (room)
		munmap(room, size);
}

char *cx_mem_copy(const void *from, size_t size)
{
	char *made = cx_mem_grow(NULL, size + 1, 1);

	if (size)
		memcpy(made, from, size);
	made[size] = '\0';
	return made;
}

char *cx_mem_text(const char *text)
{
	return cx_mem_copy(text, strlen(text));
}

char *cx_mem_print(const char *format, ...)
{
	char *made = NULL;
	va_list arg;
	int length;

	va_start(arg, format);
	length = vasprintf(&made, format, arg);
	va_end(arg);
	if (length < 0)
		out_of_memory();
	return made;
}

void cx_mem_wipe(void *secret, size_t size)
{
	explicit_bzero(secret, size);
}

void cx_mem_free_at(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
