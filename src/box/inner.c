/* inner.c - see inner.h. */
#include "box/inner.h"

#include <stdint.h>

/* CX_INNER_FILE, made by inner.mk */
#include "inner-file.inc"

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".hidden cx_inner_start\n"
        ".globl cx_inner_start\n"
        "cx_inner_start:\n"
        ".incbin \"" CX_INNER_FILE "\"\n"
        ".hidden cx_inner_end\n"
        ".globl cx_inner_end\n"
        "cx_inner_end:\n"
        ".popsection\n");

extern const char cx_inner_start[];
extern const char cx_inner_end[];

const void *cx_inner_get(size_t *ret_size)
{
	*ret_size = (size_t)((uintptr_t)cx_inner_end -
	                     (uintptr_t)cx_inner_start);
	return cx_inner_start;
}
