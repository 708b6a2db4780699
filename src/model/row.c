/*
 * row.c - see row.h.
 *
 * One table holds the line: what stands before each value, the value's kind
 * and its place in struct cx_event. The writer and the reader both walk it.
 * Its order is the canonical one (sorted keys).
 */
#include "model/row.h"

#include "base/count.h"
#include "base/str.h"

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

/* RFC 8785 strings. Controls don't pass the check; they are escaped all the
 * same, so that one event can never be two lines. */
static void add_text(struct cx_buf *line, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	static const char control[] = "\b\t\n\f\r", letter[] = "btnfr";

	cx_buf_byte(line, '"');
	for (const char *at = text; *at;) {
		size_t plain = strcspn(at,
			"\"\\\x01\x02\x03\x04\x05\x06\x07\b\t"
		                           "\n\x0b\f\r\x0e\x0f\x10\x11\x12\x13"
		                           "\x14\x15\x16\x17\x18\x19\x1a\x1b"
		                           "\x1c\x1d\x1e\x1f");
		const char *known;

		cx_buf_add(line, at, plain);
		at += plain;
		if (!*at)
			break;
		known = strchr(control, *at);
		cx_buf_byte(line, '\\');
		if (*at == '"' || *at == '\\') {
			cx_buf_byte(line, *at);
		} else if (known) {
			cx_buf_byte(line, letter[known - control]);
		} else {
			cx_buf_text(line, "u00");
			cx_buf_byte(line, hex[*at >> 4 & 15]);
			cx_buf_byte(line, hex[*at & 15]);
		}
		at++;
	}
	cx_buf_byte(line, '"');
}

static void add_number(struct cx_buf *line, int64_t number)
{
	char digit[20];
	size_t at = sizeof digit;

	do {
		digit[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	cx_buf_add(line, digit + at, sizeof digit - at);
}

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
		return cx_decision_word[*(const enum cx_decision *)value];
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
		add_number(line, number);
	else if (word)
		add_text(line, word);
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

/* What the reader has before it. Sizes are bounded by the line's. */
struct cursor {
	const char *at, *end;
	struct cx_buf *text; /* decoded texts, never grown while pointed into */
};

static bool skip(struct cursor *in, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(in->end - in->at) < length ||
	    memcmp(in->at, literal, length) != 0)
		return false;
	in->at += length;
	return true;
}

/* A string with no escapes but \" and \\: what the check lets pass has no
 * others in canonical form. */
static const char *read_text(struct cursor *in)
{
	const char *from = in->text->data + in->text->size;

	if (!skip(in, "\""))
		return NULL;
	while (in->at < in->end && *in->at != '"') {
		if (*in->at == '\\' && ++in->at == in->end)
			return NULL;
		cx_buf_byte(in->text, *in->at++);
	}
	cx_buf_byte(in->text, '\0');
	return skip(in, "\"") ? from : NULL;
}

static bool read_number(struct cursor *in, int64_t max, int64_t *ret)
{
	int64_t number = 0;
	const char *from = in->at;

	while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
		number = number * 10 + (*in->at++ - '0');
		if (number > max)
			return false;
	}
	*ret = number;
	return in->at > from;
}

static bool find_decision(const char *word, enum cx_decision *ret)
{
	*ret = cx_str_same(word, "allowed") ? CX_DECISION_ALLOWED
	                                    : CX_DECISION_DENIED;
	return cx_str_same(word, cx_decision_word[*ret]);
}

static bool set_word(const struct step *at, const char *word, void *value)
{
	switch (at->kind) {
	case TEXT:
		*(const char **)value = word;
		return true;
	case DECISION:
		return find_decision(word, value);
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

/* The event starts with every value null, so null leaves it alone. */
static bool read_step(const struct step *at, struct cursor *in,
                      struct cx_event *ret)
{
	void *value = (char *)ret + at->offset;
	const char *word;
	int64_t number;

	if (!skip(in, at->before))
		return false;
	if (skip(in, "null"))
		return true;
	if (at->kind == NUMBER)
		return read_number(in, CX_EVENT_NUMBER_MAX, value);
	if (at->kind == EXIT_CODE) {
		if (!read_number(in, 255, &number))
			return false;
		*(int *)value = (int)number;
		return true;
	}
	word = read_text(in);
	return word && set_word(at, word, value);
}

static bool read_all(struct cursor *in, struct cx_event *ret)
{
	for (size_t i = 0; i < CX_COUNT(step); i++)
		if (!read_step(&step[i], in, ret))
			return false;
	if (!skip(in, before_run))
		return false;
	if (!skip(in, "}"))
		return read_step(&run_step, in, ret) && skip(in, "}") &&
		       in->at == in->end;
	return in->at == in->end;
}

bool cx_row_read(const char *line, size_t size, struct cx_event *ret,
                   struct cx_buf *ret_text)
{
	struct cursor in = { line, line + size, ret_text };
	CX_AUTO_BUF struct cx_buf again = { 0 };
	struct cx_err err;

	cx_buf_clear(ret_text);
	if (size > CX_ROW_MAX)
		return false;
	cx_buf_room(ret_text, size + CX_COUNT(step) + 1);
	cx_event_start(NULL, NULL, NULL, ret);
	ret->decision = CX_DECISION_UNKNOWN;
	if (!read_all(&in, ret) || cx_event_check(ret, &err) < 0)
		return false;
	cx_row_write(ret, &again);
	return again.size == size && memcmp(again.data, line, size) == 0;
}
