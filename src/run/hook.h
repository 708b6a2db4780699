/*
 * hook.h - the operator's programs: asked, told, never trusted to end.
 *
 * A hook gets one line of JSON on standard input, an empty environment but
 * PATH, and CX_HOOK_MS. Exit status 0 is yes. Everything else is no: another
 * status, a signal, a program that isn't there, a hook that takes too long
 * (and is then killed with its process group).
 */
#ifndef CX_RUN_HOOK_H
#define CX_RUN_HOOK_H

#include <stdbool.h>

#include "data/json.h"

enum { CX_HOOK_MS = 5000 };

bool cx_hook_ask(const char *program, const json_t *question);

#endif
