/*
 * warrant.h - whether a program is the operator's alone to change.
 *
 * A hook decides with the operator's rights. One that another user could
 * change, itself or a folder on its way, decides as that user likes.
 */
#ifndef CX_RUN_WARRANT_H
#define CX_RUN_WARRANT_H

#include <stdbool.h>

/* The program at path, links followed, and each folder above it: root's or the
 * caller's own, and no group's or other's to write (a sticky folder may be).
 * What isn't there isn't anybody's: true. */
bool cx_warrant_holds(const char *path);

#endif
