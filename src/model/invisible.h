/*
 * invisible.h - characters that a person can't see, or tell from a space.
 *
 * An id that holds one looks like another id: "acme" and "ac\u200bme". These
 * are Unicode 15.1's format characters (general category Cf), all that
 * displays as nothing by default (Default_Ignorable_Code_Point, those reserved
 * for it too: variation selectors, fillers, tags), line and paragraph
 * separators, spaces other than U+0020, and the blank braille pattern.
 */
#ifndef CX_MODEL_INVISIBLE_H
#define CX_MODEL_INVISIBLE_H

#include <stdbool.h>
#include <stdint.h>

bool cx_invisible_is(uint32_t code);

/* Holds such a character. What isn't UTF-8 counts as one. */
bool cx_invisible_in(const char *text);

/* Holds nothing but such characters, spaces and white space; so does "". */
bool cx_invisible_whole(const char *text);

#endif
