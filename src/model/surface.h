/*
 * surface.h - where a session comes from: chat, agent or task.
 */
#ifndef CX_MODEL_SURFACE_H
#define CX_MODEL_SURFACE_H

#include <stdbool.h>

enum cx_surface {
	CX_SURFACE_NONE, /* not known; JSON null */
	CX_SURFACE_CHAT,
	CX_SURFACE_AGENT,
	CX_SURFACE_TASK,
};

/* "chat", "agent", "task"; NULL for CX_SURFACE_NONE. */
const char *cx_surface_text(enum cx_surface surface);

/* The surface of a text; false when there is none such. */
bool cx_surface_find(const char *text, enum cx_surface *ret_surface);

#endif
