/* project.c - see project.h. */
#include "audit/project.h"

#include "base/count.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/json.h"
#include "model/row.h"

static const char *const column[] = {
	"organizationId", "actorPrincipalId", "actorPrincipalType",
	"authSource", "resourceType", "resourceId", "operation", "decision",
	"runId", NULL,
};
static const char *const key[] = {
	"surface", "cwd", "reason", "exitCode", "termination", "imageDigest",
	"egressMode", "egressTotalBytes", "wallMs", "workspaceKb", NULL,
};

static bool is_listed(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (cx_str_same(*list, name))
			return true;
	return false;
}

static bool is_plain(const json_t *value)
{
	return json_is_string(value) || json_is_integer(value) ||
	       json_is_null(value);
}

static json_t *keep(json_t *object, const char *const *list)
{
	json_t *kept = json_object();
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		if (is_plain(value) &&
		    CX_PROMISE(read_projects, is_listed(list, name)))
			json_object_set(kept, name, value);
	return kept;
}

/* The texts and enumerations that filters look at; wrong ones are unknown. */
static void fill(const json_t *kept, struct cx_event *ret)
{
	const json_t *metadata = json_object_get(kept, "metadata");
	const char *decision = cx_json_text(kept, "decision");
	const char *surface = cx_json_text(metadata, "surface");
	const char *reason = cx_json_text(metadata, "reason");
	const char *termination = cx_json_text(metadata, "termination");

	cx_event_start(cx_json_text(kept, "organizationId"),
	               cx_json_text(kept, "actorPrincipalId"),
	               cx_json_text(kept, "resourceId"), ret);
	ret->run_id = cx_json_text(kept, "runId");
	ret->decision = CX_DECISION_UNKNOWN;
	if (decision)
		cx_decision_find(decision, &ret->decision);
	if (surface)
		cx_surface_find(surface, &ret->surface);
	if (termination)
		cx_termination_find(termination, &ret->termination);
	ret->reason = reason ? cx_err_find(reason) : CX_E_NONE;
}

static void project(const char *line, size_t size, struct cx_project *ret)
{
	CX_AUTO_JSON json_t *whole = NULL;
	json_t *metadata, *kept;
	struct cx_err err;

	if (cx_json_parse(line, size, "the log", &whole, &err) < 0 ||
	    !json_is_object(whole))
		return;
	kept = keep(whole, column);
	metadata = json_object_get(whole, "metadata");
	if (json_is_object(metadata))
		json_object_set_new(kept, "metadata", keep(metadata, key));
	fill(kept, &ret->event);
	cx_json_write(kept, &ret->json);
	ret->kept = kept;
}

bool cx_project_line(const char *line, size_t size, struct cx_project *ret)
{
	*ret = (struct cx_project){ 0 };
	if (!line)
		return false;
	if (cx_row_read(line, size, &ret->event, &ret->text)) {
		cx_buf_add(&ret->json, line, size);
		return true;
	}
	project(line, size, ret);
	return false;
}

void cx_project_done(struct cx_project *project)
{
	json_decref(project->kept);
	cx_buf_done(&project->text);
	cx_buf_done(&project->json);
	*project = (struct cx_project){ 0 };
}
