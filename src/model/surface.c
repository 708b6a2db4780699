/* surface.c - see surface.h. */
#include "model/surface.h"

#include "base/count.h"

const char *const cx_surface_word[] = {
	[CX_SURFACE_CHAT] = "chat",
	[CX_SURFACE_AGENT] = "agent",
	[CX_SURFACE_TASK] = "task",
	NULL,
};

enum { COUNT = CX_COUNT(cx_surface_word) - 1 };

const char *cx_surface_text(enum cx_surface surface)
{
	return (size_t)surface < COUNT ? cx_surface_word[surface] : NULL;
}

bool cx_surface_find(const char *text, enum cx_surface *ret_surface)
{
	for (size_t i = 1; i < COUNT; i++)
		if (strcmp(cx_surface_word[i], text) == 0) {
			*ret_surface = (enum cx_surface)i;
			return true;
		}
	return false;
}
