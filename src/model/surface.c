/* surface.c - see surface.h. */
#include "model/surface.h"

#include "base/count.h"

static const char *const word[] = {
	[CX_SURFACE_CHAT] = "chat",
	[CX_SURFACE_AGENT] = "agent",
	[CX_SURFACE_TASK] = "task",
};

const char *cx_surface_text(enum cx_surface surface)
{
	return surface < CX_COUNT(word) ? word[surface] : NULL;
}

bool cx_surface_find(const char *text, enum cx_surface *ret_surface)
{
	for (size_t i = 1; i < CX_COUNT(word); i++)
		if (strcmp(word[i], text) == 0) {
			*ret_surface = (enum cx_surface)i;
			return true;
		}
	return false;
}
