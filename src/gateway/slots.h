/*
 * slots.h - what connections need until they relay: a slot each, with room for
 * a short head in it. A longer one moves to a place of its own, so that many
 * who send a little and wait take little.
 */
#ifndef CX_GATEWAY_SLOTS_H
#define CX_GATEWAY_SLOTS_H

#include "gateway/room.h"
#include "gateway/tunnel.h"

struct cx_slots {
	struct cx_room slot, longer;
};

/* count of both. 0 or -1, errno. */
int cx_slots_start(struct cx_slots *ret, uint32_t count);
void cx_slots_done(struct cx_slots *slots);

/* An empty one; NULL: all are taken. */
struct cx_slot *cx_slots_take(struct cx_slots *slots);
void cx_slots_give(struct cx_slots *slots, struct cx_slot *slot);

/* Receives behind what stands in it, as recv(2). */
ssize_t cx_slots_receive(struct cx_slots *slots, struct cx_slot *slot, int fd);

#endif
