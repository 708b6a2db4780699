/*
 * room.h - places of one size, all reserved at start: taken and given back
 * without the heap. Memory is touched when a place is first used.
 */
#ifndef CX_GATEWAY_ROOM_H
#define CX_GATEWAY_ROOM_H

#include <stddef.h>
#include <stdint.h>

struct cx_room {
	char *base;
	size_t size;      /* of a place */
	uint32_t count;
	uint32_t fresh;   /* from here on none was ever taken */
	uint32_t used;
	void *free;       /* given back: each names the next */
};

/* 0 or -1, errno. */
int cx_room_start(struct cx_room *ret, uint32_t count, size_t size);
void cx_room_done(struct cx_room *room);

/* What stands in it is left over; NULL: all are taken. */
void *cx_room_take(struct cx_room *room);

/* used bytes of it were written to: of many all but the first are given back
 * to the system. */
void cx_room_give(struct cx_room *room, void *place, size_t used);

#endif
