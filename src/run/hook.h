/*
 * hook.h - the operator's programs: asked, told, never trusted to end.
 *
 * A hook gets one line of JSON on standard input, an environment of nothing
 * but PATH, descriptors 0, 1 and 2 and no other, "/" as its folder, and
 * CX_HOOK_MS. Exit status 0 is yes. Everything else is no: another status, a
 * signal, a program that isn't there, a hook that takes too long (and is then
 * killed with its process group). What it writes to standard output is read
 * and, but for the first line of a no, thrown away; standard error is the
 * operator's own.
 */
#ifndef CX_RUN_HOOK_H
#define CX_RUN_HOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "data/json.h"

enum { CX_HOOK_MS = 5000, CX_HOOK_REASON_MAX = 256 };

bool cx_hook_ask(const char *program, const json_t *question);

/* The same; of a no, ret_reason is the first line that it wrote, cut, as
 * UTF-8 without controls, "" when it wrote none. */
bool cx_hook_ask_why(const char *program, const json_t *question,
                     char ret_reason[CX_HOOK_REASON_MAX]);

#endif
