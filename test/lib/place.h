/* place.h - a folder of a test's own below /tmp, and a state in it. */
#ifndef CX_TEST_PLACE_H
#define CX_TEST_PLACE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"

/* Its name, and it, open. */
static char place[64];
static int place_fd = -1;

static inline int place_begin(void **state)
{
	(void)state;
	snprintf(place, sizeof place, "/tmp/cx-unit-XXXXXX");
	if (!mkdtemp(place))
		return -1;
	place_fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return place_fd < 0 ? -1 : 0;
}

static inline int place_end(void **state)
{
	(void)state;
	close(place_fd);
	return cx_path_remove(AT_FDCWD, place);
}

#endif
