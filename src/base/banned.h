/*
 * banned.h - functions that don't compile here.
 *
 * Included before everything else by the Makefile (-include). The declaring
 * headers come first, since poisoning a name that a system header still has
 * to mention breaks both compilers.
 */
#ifndef CX_BASE_BANNED_H
#define CX_BASE_BANNED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf
#pragma GCC poison gets strtok atoi atol atoll system popen tmpnam mktemp
#pragma GCC poison tempnam execvp execlp execvpe vfork rand srand

#endif
