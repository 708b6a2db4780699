/* room.c - see room.h. */
#include "gateway/room.h"

#include <sys/mman.h>

enum {
	PAGE = 4096,
	LINE = 64,
	KEPT_BYTES = 2 * PAGE,
	WARM_MAX = 64,
};

static void *reserve(size_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return base == MAP_FAILED ? NULL : base;
}

int cx_room_start(struct cx_room *ret, uint32_t count, size_t size)
{
	size_t grain = size < PAGE ? LINE : PAGE;

	*ret = (struct cx_room){
		.size = (size + grain - 1) / grain * grain, .count = count,
	};
	ret->base = reserve(ret->size * count);
	ret->next = reserve(count * sizeof *ret->next);
	if (ret->base && ret->next)
		return 0;
	cx_room_done(ret);
	return -1;
}

void cx_room_done(struct cx_room *room)
{
	if (room->base)
		munmap(room->base, room->size * room->count);
	if (room->next)
		munmap(room->next, room->count * sizeof *room->next);
	*room = (struct cx_room){ 0 };
}

static uint32_t pop(const struct cx_room *room, uint32_t *list)
{
	uint32_t number = *list - 1;

	*list = room->next[number];
	return number;
}

static void push(struct cx_room *room, uint32_t *list, uint32_t number)
{
	room->next[number] = *list;
	*list = number + 1;
}

void *cx_room_take(struct cx_room *room)
{
	uint32_t number;

	if (room->warm) {
		number = pop(room, &room->warm);
		room->warms--;
	} else if (room->cold) {
		number = pop(room, &room->cold);
	} else if (room->fresh < room->count) {
		number = room->fresh++;
	} else {
		return NULL;
	}
	room->used++;
	return room->base + room->size * number;
}

/* Nobody has one: of small ones a few stay, and all begins anew. */
static void shrink(struct cx_room *room)
{
	size_t from = (WARM_MAX * room->size + PAGE - 1) / PAGE * PAGE;
	size_t to = room->fresh * room->size;

	if (to > from)
		madvise(room->base + from, to - from, MADV_DONTNEED);
	room->fresh = room->warm = room->warms = room->cold = 0;
}

void cx_room_give(struct cx_room *room, void *place, size_t used)
{
	char *at = place;
	uint32_t number = (uint32_t)((size_t)(at - room->base) / room->size);
	bool stays = room->size < PAGE || room->warms < WARM_MAX;
	size_t kept = stays ? KEPT_BYTES : 0;

	room->used--;
	if (used > kept && room->size > kept && room->size >= PAGE)
		madvise(at + kept, room->size - kept, MADV_DONTNEED);
	push(room, stays ? &room->warm : &room->cold, number);
	room->warms += stays;
	if (room->used == 0 && room->size < PAGE && room->fresh > WARM_MAX)
		shrink(room);
}
