/* confine.c - see confine.h. */
#include "sys/confine.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "sys/caps.h"

int cx_confine_self(const struct cx_landlock_grant *grant, size_t count)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    cx_caps_no_new_privs() < 0)
		return -1;
	return CX_CONFINE_WHOLE && cx_landlock_enter(grant, count) < 0 ? -1
	                                                               : 0;
}

int cx_confine_memory(void)
{
	const struct rlimit none = { 0, 0 };

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
	return setrlimit(RLIMIT_CORE, &none);
}
