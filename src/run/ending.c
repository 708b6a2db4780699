/* ending.c - see ending.h. */
#include "run/ending.h"

#include "base/mem.h"
#include "data/json.h"
#include "model/termination.h"

static const char *capped_stream(const json_t *result)
{
	return cx_json_is_true(result, "stdoutTruncated")
	       ? "more on standard output than limits.stdout_bytes"
	       : "more on standard error than limits.stderr_bytes";
}

/* NULL where it wasn't a limit. */
static const char *limit(enum cx_termination how, const json_t *result)
{
	switch (how) {
	case CX_TERMINATION_WALL_CLOCK:
		return "more time than limits.wall_ms, or the document's "
		       "run.timeoutMs";
	case CX_TERMINATION_CPU_TIME:
		return "more CPU time than limits.cpu_ms";
	case CX_TERMINATION_OUTPUT_CAP:
		return capped_stream(result);
	case CX_TERMINATION_OUT_OF_MEMORY:
		return "more memory than limits.memory_bytes";
	case CX_TERMINATION_DISK_QUOTA_EXCEEDED:
		return "a workspace over limits.workspace_kib or "
		       "limits.inodes";
	case CX_TERMINATION_NONE:
	case CX_TERMINATION_EXITED:
	case CX_TERMINATION_SIGNALED:
	case CX_TERMINATION_CANCELLED:
	case CX_TERMINATION_LOST:
		break;
	}
	return NULL;
}

/* What stood in the way of a command, which may have gone on. */
static void tell_hindrance(const json_t *result, char **ret_text)
{
	if (cx_json_is_true(result, "fileLimitHit"))
		*ret_text = cx_mem_print("a file couldn't grow over "
		                         "limits.file_size_bytes, or where "
		                         "that isn't set "
		                         "limits.workspace_kib");
	else if (cx_json_is_true(result, "pidsLimitHit"))
		*ret_text = cx_mem_print("a process couldn't be started: "
		                         "there were as many as limits.pids "
		                         "allows");
}

void cx_ending_tell(const json_t *result, char **ret_text)
{
	enum cx_termination how = CX_TERMINATION_NONE;
	const char *name = cx_json_text(result, "termination");
	const char *why;

	*ret_text = NULL;
	if (!name || !cx_termination_find(name, &how))
		return;
	why = limit(how, result);
	if (why)
		*ret_text = cx_mem_print("ended: %s: %s", name, why);
	else
		tell_hindrance(result, ret_text);
}
