/*
 * arena.h - the resolver library's memory: a region of fixed size, cut into
 * places of powers of two, so that nothing of ours asks the system for memory
 * once traffic flows.
 */
#ifndef CX_GATEWAY_ARENA_H
#define CX_GATEWAY_ARENA_H

#include <stddef.h>

/* 0 or -1, errno. There is one: the library's functions take no context. */
int cx_arena_start(size_t size);

void *cx_arena_take(size_t size);             /* NULL: it is full */
void *cx_arena_grow(void *place, size_t size);
void cx_arena_give(void *place);

#endif
