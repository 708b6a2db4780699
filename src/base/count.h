/* count.h - the number of elements of an array. */
#ifndef CX_BASE_COUNT_H
#define CX_BASE_COUNT_H

#include <stddef.h>

#define CX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
