/* promise.c - see promise.h; empty but in the sabotage build. */
#include "base/promise.h"

#ifdef CX_SABOTAGE
static const char *const name[] = {
#define CX_PROMISE_ROW(id, claim, sentence, file, test) #id,
#include "base/promise.def"
#undef CX_PROMISE_ROW
	NULL
};

/* Read once, by the launcher: init forgets its environment. */
bool cx_promise_off(enum cx_promise promise)
{
	static char chosen[64];
	static bool is_read;

	if (!is_read) {
		const char *given = getenv("CX_SABOTAGE");

		snprintf(chosen, sizeof chosen, "%s", given ? given : "");
		is_read = true;
	}
	return name[promise] && strcmp(chosen, name[promise]) == 0;
}
#else
/* A translation unit may not be empty in ISO C. */
typedef int cx_promise_nothing;
#endif
