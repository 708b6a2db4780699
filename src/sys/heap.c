/* heap.c - see heap.h. */
#include "sys/heap.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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
	advise(heap, MADV_DONTFORK);
}

void cx_heap_share(const struct cx_heap *heap)
{
	advise(heap, MADV_DOFORK);
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
