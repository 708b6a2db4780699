/* promise.c - see promise.h; empty but in the sabotage build. */
#include "base/promise.h"

#ifdef CX_SABOTAGE
static const char *const name[] = {
#define CX_PROMISE_ROW(id, claim, sentence, file, test) #id,
#include "base/promise.def"
#undef CX_PROMISE_ROW
	NULL
};

bool cx_promise_off(enum cx_promise promise)
{
	const char *chosen = getenv("CX_SABOTAGE");

	return chosen && name[promise] && strcmp(chosen, name[promise]) == 0;
}
#else
/* A translation unit may not be empty in ISO C. */
typedef int cx_promise_nothing;
#endif
