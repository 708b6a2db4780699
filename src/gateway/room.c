/* room.c - see room.h. */
#include "gateway/room.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, KEPT_BYTES = 2 * PAGE };

int cx_room_start(struct cx_room *ret, uint32_t count, size_t size)
{
	void *base;

	*ret = (struct cx_room){
		.size = (size + PAGE - 1) / PAGE * PAGE, .count = count,
	};
	base = mmap(NULL, ret->size * count, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -1;
	ret->base = base;
	return 0;
}

void cx_room_done(struct cx_room *room)
{
	if (room->base)
		munmap(room->base, room->size * room->count);
	*room = (struct cx_room){ 0 };
}

void *cx_room_take(struct cx_room *room)
{
	void *place = room->free;

	if (place)
		memcpy(&room->free, place, sizeof room->free);
	else if (room->fresh < room->count)
		place = room->base + room->size * room->fresh++;
	else
		return NULL;
	room->used++;
	return place;
}

void cx_room_give(struct cx_room *room, void *place, size_t used)
{
	char *at = place;

	if (used > KEPT_BYTES && room->size > KEPT_BYTES)
		madvise(at + KEPT_BYTES, room->size - KEPT_BYTES,
		        MADV_DONTNEED);
	memcpy(place, &room->free, sizeof room->free);
	room->free = place;
	room->used--;
}
