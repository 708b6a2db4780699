/*
 * row.c - lines of the log. What reads as an event or as what stands beside
 * one is written again to the same bytes, is canonical JSON, and passes the
 * check; what a reader is shown has no member but the event's.
 */
#include "audit/project.h"
#include "data/canon.h"
#include "data/json.h"
#include "model/margin.h"
#include "model/row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_canonical(const char *line, size_t size)
{
	CX_AUTO_JSON json_t *value = NULL;
	CX_AUTO_BUF struct cx_buf canon = { 0 };
	struct cx_err err;

	demand(cx_json_parse(line, size, "line", &value, &err) == 0);
	cx_canon_write(value, &canon);
	demand(canon.size == size && memcmp(canon.data, line, size) == 0);
}

static void check_row(const char *line, size_t size)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_event event;
	struct cx_err err;

	if (!cx_row_read(line, size, &event, &text))
		return;
	demand(cx_event_check(&event, &err) == 0);
	demand(memchr(line, '\n', size) == NULL);
	check_canonical(line, size);
}

static void check_margin(const char *line, size_t size)
{
	struct cx_margin margin;

	if (cx_margin_read(line, size, &margin))
		check_canonical(line, size);
}

static void check_shown(const char *line, size_t size)
{
	static const size_t columns = 10, keys = 10;
	struct cx_project project;
	bool fits = cx_project_line(line, size, &project);

	if (project.json.size > 0) {
		CX_AUTO_JSON json_t *shown = NULL;
		struct cx_err err;

		demand(cx_json_parse(project.json.data, project.json.size,
		                     "line", &shown, &err) == 0);
		demand(json_object_size(shown) <= columns);
		demand(json_object_size(json_object_get(
			shown, "metadata")) <= keys);
		demand(!json_object_get(shown, "command"));
	}
	demand(!fits || project.json.size == size);
	cx_project_done(&project);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data;

	check_row(line, size);
	check_margin(line, size);
	check_shown(line, size);
	return 0;
}
