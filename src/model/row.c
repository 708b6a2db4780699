/*
 * row.c - see row.h.
 *
 * One table holds the line: what stands before each value, the value's kind
 * and its place in struct cx_event. The writer and the reader both walk it.
 * Its order is the canonical one (sorted keys).
 */
#include "model/row.h"

#include "base/count.h"
#include "model/jcs.h"

enum kind { TEXT, NUMBER, EXIT_CODE, DECISION, TIER, REASON, SURFACE,
            TERMINATION };

struct step {
	const char *before;
	enum kind kind;
	size_t offset;
};

#define STEP(before, kind, member) \
	{ before, kind, offsetof(struct cx_event, member) }

static const struct step step[] = {
	STEP("{\"actorPrincipalId\":", TEXT, user_id),
	STEP(",\"actorPrincipalType\":\"model\",\"authSource\":\"agent\","
	     "\"decision\":", DECISION, decision),
	STEP(",\"metadata\":{\"cwd\":", TEXT, cwd),
	STEP(",\"egressMode\":", TIER, egress_mode),
	STEP(",\"egressTotalBytes\":", NUMBER, egress_total_bytes),
	STEP(",\"exitCode\":", EXIT_CODE, exit_code),
	STEP(",\"imageDigest\":", TEXT, image_digest),
	STEP(",\"reason\":", REASON, reason),
	STEP(",\"surface\":", SURFACE, surface),
	STEP(",\"termination\":", TERMINATION, termination),
	STEP(",\"wallMs\":", NUMBER, wall_ms),
	STEP(",\"workspaceKb\":", NUMBER, workspace_kb),
	STEP("},\"operation\":\"sandbox_execute\",\"organizationId\":", TEXT,
	     org_id),
	STEP(",\"resourceId\":", TEXT, job_id),
};

/* runId stands behind the rest, and only when there is one. */
static const char before_run[] = ",\"resourceType\":\"execution_sandbox\"";
static const struct step run_step = STEP(",\"runId\":", TEXT, run_id);

static int64_t number_of(const struct step *at, const void *value)
{
	if (at->kind == EXIT_CODE)
		return *(const int *)value;
	return *(const int64_t *)value;
}

static const char *word_of(const struct step *at, const void *value)
{
	switch (at->kind) {
	case TEXT:
		return *(const char *const *)value;
	case DECISION:
		return cx_decision_text(*(const enum cx_decision *)value);
	case TIER:
		return cx_tier_text(*(const enum cx_tier *)value);
	case SURFACE:
		return cx_surface_text(*(const enum cx_surface *)value);
	case TERMINATION:
		return cx_termination_text(*(const enum cx_termination *)value);
	case REASON:
		return *(const enum cx_class *)value == CX_E_NONE
		       ? NULL : cx_err_name(*(const enum cx_class *)value);
	case NUMBER:
	case EXIT_CODE:
		break;
	}
	return NULL;
}

static void add_step(const struct step *at, const struct cx_event *event,
                     struct cx_buf *line)
{
	const void *value = (const char *)event + at->offset;
	bool is_number = at->kind == NUMBER || at->kind == EXIT_CODE;
	int64_t number = is_number ? number_of(at, value) : -1;
	const char *word = is_number ? NULL : word_of(at, value);

	cx_buf_text(line, at->before);
	if (number >= 0)
		cx_jcs_write_number(number, line);
	else if (word)
		cx_jcs_write_text(word, line);
	else
		cx_buf_text(line, "null");
}

void cx_row_write(const struct cx_event *event, struct cx_buf *ret)
{
	cx_buf_room(ret, 1024);
	for (size_t i = 0; i < CX_COUNT(step); i++)
		add_step(&step[i], event, ret);
	cx_buf_text(ret, before_run);
	if (event->run_id)
		add_step(&run_step, event, ret);
	cx_buf_byte(ret, '}');
}

/* What is read, and where its decoded texts go: never grown meanwhile. */
struct cursor {
	struct cx_jcs in;
	struct cx_buf *text;
};

static const char *read_text(struct cursor *cursor)
{
	struct cx_buf *text = cursor->text;
	char *at = text->data + text->size;

	if (!cx_jcs_read_text(&cursor->in, at, text->capacity - text->size))
		return NULL;
	text->size += strlen(at) + 1;
	return at;
}

static bool set_word(const struct step *at, const char *word, void *value)
{
	switch (at->kind) {
	case TEXT:
		*(const char **)value = word;
		return true;
	case DECISION:
		return cx_decision_find(word, value);
	case TIER:
		return cx_tier_find(word, value);
	case SURFACE:
		return cx_surface_find(word, value);
	case TERMINATION:
		return cx_termination_find(word, value);
	case REASON:
		*(enum cx_class *)value = cx_err_find(word);
		return *(enum cx_class *)value != CX_E_NONE;
	case NUMBER:
	case EXIT_CODE:
		break;
	}
	return false;
}

static bool read_exit(struct cx_jcs *in, int *ret)
{
	int64_t number;

	if (!cx_jcs_read_number(in, &number) || number < 0 || number > 255)
		return false;
	*ret = (int)number;
	return true;
}

/* The event starts with every value null, so null leaves it alone. */
static bool read_step(const struct step *at, struct cursor *cursor,
                      struct cx_event *ret)
{
	void *value = (char *)ret + at->offset;
	const char *word;

	if (!cx_jcs_take(&cursor->in, at->before))
		return false;
	if (cx_jcs_take(&cursor->in, "null"))
		return true;
	if (at->kind == NUMBER)
		return cx_jcs_read_number(&cursor->in, value);
	if (at->kind == EXIT_CODE)
		return read_exit(&cursor->in, value);
	word = read_text(cursor);
	return word && set_word(at, word, value);
}

static bool read_all(struct cursor *cursor, struct cx_event *ret)
{
	for (size_t i = 0; i < CX_COUNT(step); i++)
		if (!read_step(&step[i], cursor, ret))
			return false;
	if (!cx_jcs_take(&cursor->in, before_run))
		return false;
	if (!cx_jcs_sees(&cursor->in, '}') &&
	    !read_step(&run_step, cursor, ret))
		return false;
	return cx_jcs_take(&cursor->in, "}") && cx_jcs_ended(&cursor->in);
}

bool cx_row_read(const char *line, size_t size, struct cx_event *ret,
                   struct cx_buf *ret_text)
{
	struct cursor cursor = { { line, line + size }, ret_text };
	CX_AUTO_BUF struct cx_buf again = { 0 };
	struct cx_err err;

	cx_buf_clear(ret_text);
	if (size > CX_ROW_MAX)
		return false;
	cx_buf_room(ret_text, size + CX_COUNT(step) + 2);
	cx_event_start(NULL, NULL, NULL, ret);
	ret->decision = CX_DECISION_UNKNOWN;
	if (!read_all(&cursor, ret) || cx_event_check(ret, &err) < 0)
		return false;
	cx_row_write(ret, &again);
	return again.size == size && memcmp(again.data, line, size) == 0;
}
