/* heap.c - see heap.h. */
#include "sys/heap.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/confine.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum {
	PAGE_BYTES = 4096,
	CALLS_BYTES = 4 * PAGE_BYTES,
	POPULATE_BYTES_MAX = 1 << 20,
};

void cx_heap_find(struct cx_heap *ret)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	void *start;

	ret->start = NULL;
	while (maps && fgets(line, sizeof line, maps))
		if (strstr(line, "[heap]") && sscanf(line, "%p-", &start) == 1)
			ret->start = start;
	if (maps)
		fclose(maps);
}

/* To where it reaches by now. A kernel that refuses changes nothing. */
static void advise(const struct cx_heap *heap, int advice)
{
	const char *end = sbrk(0);

	if (heap->start && end > heap->start)
		madvise(heap->start, (size_t)(end - heap->start), advice);
}

void cx_heap_withhold(const struct cx_heap *heap)
{
	/* children that keep count of themselves write it from there */
	if (CX_CONFINE_WHOLE)
		advise(heap, MADV_DONTFORK);
}

void cx_heap_share(const struct cx_heap *heap)
{
	advise(heap, MADV_DOFORK);
}

/* A kernel that can't (before 5.14) changes nothing. */
static void write_all(char *from, const char *to)
{
	ptrdiff_t size;

	from -= (uintptr_t)from % PAGE_BYTES;
	size = to - from;
	if (size > 0 && size < POPULATE_BYTES_MAX)
		madvise(from, (size_t)size, MADV_POPULATE_WRITE);
}

/* From a few calls below this one up to where the kernel put the environment;
 * and what the linker calls so. */
void cx_heap_part(void)
{
	extern char __data_start[], _end[];

	write_all((char *)__builtin_frame_address(0) - CALLS_BYTES,
	          (const char *)environ);
	write_all(__data_start, _end);
}

void *cx_heap_apart(size_t size)
{
	void *made = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return made == MAP_FAILED ? NULL : made;
}

void cx_heap_let_go(void *apart, size_t size)
{
	if (apart)
		munmap(apart, size);
}
