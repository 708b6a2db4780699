/* slots.c - see slots.h. */
#include "gateway/slots.h"

#include <string.h>
#include <sys/socket.h>

enum { LONGER_BYTES = CX_HEAD_MAX_BYTES + 1 };

int cx_slots_start(struct cx_slots *ret, uint32_t count)
{
	*ret = (struct cx_slots){ .slot = { .base = NULL } };
	if (cx_room_start(&ret->slot, count, sizeof(struct cx_slot)) < 0)
		return -1;
	return cx_room_start(&ret->longer, count, LONGER_BYTES);
}

void cx_slots_done(struct cx_slots *slots)
{
	cx_room_done(&slots->slot);
	cx_room_done(&slots->longer);
}

struct cx_slot *cx_slots_take(struct cx_slots *slots)
{
	struct cx_slot *slot = cx_room_take(&slots->slot);

	if (!slot)
		return NULL;
	memset(slot, 0, offsetof(struct cx_slot, few));
	slot->data = slot->few;
	slot->room = sizeof slot->few;
	return slot;
}

void cx_slots_give(struct cx_slots *slots, struct cx_slot *slot)
{
	if (slot->data != slot->few)
		cx_room_give(&slots->longer, slot->data, slot->peak);
	cx_room_give(&slots->slot, slot, sizeof *slot);
}

/* There is a place for each slot. */
static void widen(struct cx_slots *slots, struct cx_slot *slot)
{
	char *data = slot->data == slot->few ? cx_room_take(&slots->longer)
	                                     : NULL;

	if (!data)
		return;
	memcpy(data, slot->data, slot->size);
	slot->data = data;
	slot->room = LONGER_BYTES;
}

ssize_t cx_slots_receive(struct cx_slots *slots, struct cx_slot *slot, int fd)
{
	ssize_t n;

	if (slot->size == slot->room)
		widen(slots, slot);
	n = recv(fd, slot->data + slot->size, slot->room - slot->size, 0);
	if (n > 0)
		slot->size += (uint32_t)n;
	if (slot->size > slot->peak)
		slot->peak = slot->size;
	return n;
}
