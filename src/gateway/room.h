/*
 * room.h - places of one size, all reserved at start: taken and given back
 * without the heap. Memory is touched when a place is first used.
 */
#ifndef CX_GATEWAY_ROOM_H
#define CX_GATEWAY_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cx_room {
	char *base;
	size_t size;      /* of a place */
	uint32_t count;
	uint32_t fresh;   /* from here on none was ever taken */
	uint32_t used;
	uint32_t *next;   /* of a place that was given back: 1 + the next's
	                     number, 0: none */
	uint32_t warm;    /* 1 + the number of one whose memory stays */
	uint32_t warms;   /* of those, a few */
	uint32_t cold;    /* likewise, of one without memory */
};

/* 0 or -1, errno. */
int cx_room_start(struct cx_room *ret, uint32_t count, size_t size);
void cx_room_done(struct cx_room *room);

/* What stands in it is left over; NULL: all are taken. */
void *cx_room_take(struct cx_room *room);

/* used bytes of it were written to. Of a few places the first pages stay for
 * who comes next; all else goes back to the system. */
void cx_room_give(struct cx_room *room, void *place, size_t used);

#endif
