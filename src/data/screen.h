/* screen.h - what must not reach libyaml, refused before it starts. */
#ifndef CX_DATA_SCREEN_H
#define CX_DATA_SCREEN_H

#include <stddef.h>

#include "base/err.h"

/*
 * Refuses invalid UTF-8, a byte-order mark, NUL and other controls, and the
 * three characters that YAML 1.1 (so libyaml) takes for line ends and YAML 1.2
 * doesn't (U+0085, U+2028, U+2029): a comment would end where no reader sees
 * it. Of directives, in which libyaml is quadratic, only one "%YAML 1.2" may
 * stand at the beginning.
 */
int cx_screen_text(const char *text, size_t size, const char *what,
                   struct cx_err *err);

/* The end of the line at at, behind its line end. */
size_t cx_screen_line_end(const char *text, size_t size, size_t at);

/* Past blanks, line ends and comments. */
size_t cx_screen_blank_end(const char *text, size_t size, size_t at);

#endif
