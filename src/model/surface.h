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

/* The texts by number, NULL-ended; the first (unknown) is NULL as well, so
 * that a list of words begins at cx_surface_word + 1. */
extern const char *const cx_surface_word[];

/* "chat", "agent", "task"; NULL for CX_SURFACE_NONE. */
const char *cx_surface_text(enum cx_surface surface);

/* The surface of a text; false when there is none such. */
bool cx_surface_find(const char *text, enum cx_surface *ret_surface);

#endif
