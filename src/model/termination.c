/* termination.c - see termination.h. */
#include "model/termination.h"

#include "base/count.h"

const char *const cx_termination_word[] = {
	[CX_TERMINATION_EXITED] = "exited",
	[CX_TERMINATION_SIGNALED] = "signaled",
	[CX_TERMINATION_WALL_CLOCK] = "wall_clock",
	[CX_TERMINATION_CPU_TIME] = "cpu_time",
	[CX_TERMINATION_OUTPUT_CAP] = "output_cap",
	[CX_TERMINATION_DISK_QUOTA_EXCEEDED] = "disk_quota_exceeded",
	[CX_TERMINATION_OUT_OF_MEMORY] = "out_of_memory",
	[CX_TERMINATION_CANCELLED] = "cancelled",
	[CX_TERMINATION_LOST] = "lost",
	NULL,
};

enum { COUNT = CX_COUNT(cx_termination_word) - 1 };

const char *cx_termination_text(enum cx_termination termination)
{
	return (size_t)termination < COUNT ?
	       cx_termination_word[termination] : NULL;
}

bool cx_termination_find(const char *text, enum cx_termination *ret)
{
	for (size_t i = 1; i < COUNT; i++)
		if (strcmp(cx_termination_word[i], text) == 0) {
			*ret = (enum cx_termination)i;
			return true;
		}
	return false;
}
