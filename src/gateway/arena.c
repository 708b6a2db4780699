/* arena.c - see arena.h. */
#include "gateway/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
	HEADER = 16,            /* keeps what follows aligned */
	CLASS_MIN = 5,          /* 32 bytes */
	CLASS_MAX = 20,         /* 1 MiB */
};

struct arena {
	char *base;
	size_t size, used;
	void *free[CLASS_MAX + 1];
};

/* The library knows no context, so this one is the process's. */
static struct arena arena;

int cx_arena_start(size_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return -1;
	arena = (struct arena){ .base = base, .size = size };
	return 0;
}

static unsigned class_of(size_t size)
{
	unsigned class = CLASS_MIN;

	while (class <= CLASS_MAX && (size_t)1 << class < size)
		class++;
	return class;
}

void *cx_arena_take(size_t size)
{
	unsigned class = size > SIZE_MAX / 2 ? CLASS_MAX + 1
	                                     : class_of(size + HEADER);
	char *place;

	if (class > CLASS_MAX)
		return NULL;
	place = arena.free[class];
	if (place) {
		memcpy(&arena.free[class], place + HEADER, sizeof(void *));
	} else {
		if ((size_t)1 << class > arena.size - arena.used)
			return NULL;
		place = arena.base + arena.used;
		arena.used += (size_t)1 << class;
		memcpy(place, &class, sizeof class);
	}
	return place + HEADER;
}

void cx_arena_give(void *place)
{
	char *at = place;
	unsigned class;

	if (!place)
		return;
	memcpy(&class, at - HEADER, sizeof class);
	memcpy(at, &arena.free[class], sizeof(void *));
	arena.free[class] = at - HEADER;
}

void *cx_arena_grow(void *place, size_t size)
{
	unsigned class;
	size_t room;
	void *more;

	if (!place)
		return cx_arena_take(size);
	memcpy(&class, (char *)place - HEADER, sizeof class);
	room = ((size_t)1 << class) - HEADER;
	if (size <= room)
		return place;
	more = cx_arena_take(size);
	if (more) {
		memcpy(more, place, room);
		cx_arena_give(place);
	}
	return more;
}
