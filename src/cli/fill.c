/* fill.c - see fill.h. */
#include "cli/fill.h"

#include "base/str.h"

int cx_fill_session(const struct cx_io_args *args, json_t *doc,
                    struct cx_err *err)
{
	const struct { const char *name, *value; } member[] = {
		{ "orgId", args->org }, { "userId", args->user },
		{ "surface", args->surface }, { "runId", args->run },
	};

	for (size_t i = 0; i < CX_COUNT(member); i++) {
		json_t *session = json_object_get(doc, "session");

		if (!member[i].value)
			continue;
		if (!cx_str_utf8_all(member[i].value, strlen(member[i].value),
		                     NULL)) {
			cx_err_set(err, CX_E_INPUT_INVALID,
			           "%s isn't UTF-8", member[i].name);
			return cx_err_at(err, "/session/%s", member[i].name);
		}
		if (!session) {
			session = json_object();
			json_object_set_new(doc, "session", session);
		}
		json_object_set_new(session, member[i].name,
		                    json_string(member[i].value));
	}
	return 0;
}
