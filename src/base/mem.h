/*
 * mem.h - allocation that doesn't fail, and cleanup by declaration.
 *
 * The tools are batch programs: when memory is gone they write one static
 * JSON line on standard output's behalf and _exit(71). So every size that
 * comes from outside is capped before it gets here.
 */
#ifndef CX_BASE_MEM_H
#define CX_BASE_MEM_H

#include <stddef.h>

void *cx_mem_new(size_t size);                   /* zeroed */
void *cx_mem_array(size_t count, size_t size);   /* zeroed, overflow checked */
void *cx_mem_grow(void *old, size_t count, size_t size);
/* Zeroed pages of their own, of which none is touched: for what is large and
 * mostly stays empty. */
void *cx_mem_room(size_t size);
void cx_mem_room_done(void *room, size_t size);  /* NULL is fine */
char *cx_mem_text(const char *text);             /* strdup */
char *cx_mem_copy(const void *from, size_t size);/* copy plus a final NUL */
char *cx_mem_print(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void cx_mem_wipe(void *secret, size_t size);     /* never optimised away */
void cx_mem_free_at(void *pointer_to_pointer);   /* for CX_AUTO_FREE */

#define CX_AUTO_FREE __attribute__((cleanup(cx_mem_free_at)))

/* Hands an owned pointer over and leaves NULL behind. */
#define CX_TAKE(pointer) \
	({ __typeof__(pointer) taken_ = (pointer); (pointer) = NULL; taken_; })

#endif
