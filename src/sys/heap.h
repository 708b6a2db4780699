/*
 * heap.h - memory that a child needn't have.
 *
 * A fork shares every page until one side writes it, which then costs a copy:
 * for a process that lives from one child to the next that is most of its
 * heap, each time. A child that never touches the heap does without.
 */
#ifndef CX_SYS_HEAP_H
#define CX_SYS_HEAP_H

#include <stddef.h>

struct cx_heap {
	char *start; /* NULL: not known, and children have all of it */
};

void cx_heap_find(struct cx_heap *ret);

/* Children that are made from here on find nothing at the heap's addresses:
 * they end by a signal where they look there. */
void cx_heap_withhold(const struct cx_heap *heap);

/* They have it again. */
void cx_heap_share(const struct cx_heap *heap);

/*
 * The stack and the data are the process's own again: of each page that a child
 * has had since its fork, whatever became of the child, the copy is made now
 * that otherwise the next write makes. For who has nothing else to do.
 */
void cx_heap_part(void);

/* Zeroed memory that is no part of the heap; NULL and errno. */
void *cx_heap_apart(size_t size);
void cx_heap_let_go(void *apart, size_t size);

#endif
