/* model-row.c - the event's line equals the canonical form, and comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "data/canon.h"
#include "model/row.h"
#include "model/margin.h"

static const char digest[] =
	"sha256:0123456789abcdef0123456789abcdef"
	"0123456789abcdef0123456789abcdef";

static void start(struct cx_event *event)
{
	cx_event_start("acme", "ada", "j-1", event);
	event->surface = CX_SURFACE_CHAT;
	event->reason = CX_E_NO_SESSION;
}

static void start_allowed(struct cx_event *event)
{
	start(event);
	event->decision = CX_DECISION_ALLOWED;
	event->reason = CX_E_NONE;
	event->termination = CX_TERMINATION_EXITED;
	event->exit_code = 0;
}

static void check_line(const struct cx_event *event)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	CX_AUTO_BUF struct cx_buf canon = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *value = NULL;
	struct cx_event again;
	struct cx_err err;

	assert_int_equal(cx_event_check(event, &err), 0);
	cx_row_write(event, &line);
	assert_null(memchr(line.data, '\n', line.size));
	assert_int_equal(cx_json_parse(line.data, line.size, "line", &value,
	                               &err), 0);
	cx_canon_write(value, &canon);
	assert_string_equal(line.data, canon.data);
	assert_true(cx_row_read(line.data, line.size, &again, &text));
	assert_string_equal(again.org_id, event->org_id);
	assert_int_equal(again.decision, event->decision);
	assert_int_equal(again.wall_ms, event->wall_ms);
}

static void canonical(void **state)
{
	static const char *const text[] = {
		"a", "\"", "\\", "\\\"\\", "a/b", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80", "<>&", "\\u0000", " ", "{\"a\":1}",
	};
	struct cx_event event;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(text); i++) {
		char cwd[64];

		snprintf(cwd, sizeof cwd, "/%s", text[i]);
		start(&event);
		event.org_id = event.user_id = event.run_id = text[i];
		event.cwd = cwd;
		check_line(&event);
	}
	start_allowed(&event);
	event.image_digest = digest;
	event.egress_total_bytes = CX_EVENT_NUMBER_MAX;
	event.wall_ms = 0;
	check_line(&event);
}

static void words(void **state)
{
	struct cx_event event;

	(void)state;
	start(&event);
	for (int i = CX_E_NONE + 1; i < CX_E_COUNT; i++) {
		event.reason = (enum cx_class)i;
		check_line(&event);
	}
	start_allowed(&event);
	for (int i = 1; cx_termination_word[i]; i++) {
		event.termination = (enum cx_termination)i;
		check_line(&event);
	}
	for (int i = 0; i == 0 || cx_tier_word[i]; i++) {
		event.egress_mode = (enum cx_tier)i;
		check_line(&event);
	}
	for (int i = 1; cx_surface_word[i]; i++) {
		event.surface = (enum cx_surface)i;
		check_line(&event);
	}
}

#define REFUSED(change) \
	do { \
		struct cx_event event; \
		struct cx_err err; \
		start_allowed(&event); \
		change; \
		assert_int_equal(cx_event_check(&event, &err), -1); \
		assert_int_equal(err.code, CX_E_AUDIT_FIELD_REFUSED); \
		assert_true(err.pointer[0] == '/'); \
	} while (0)

static void refused(void **state)
{
	char longest[CX_EVENT_CWD_MAX + 2];

	(void)state;
	memset(longest, '/', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	REFUSED(event.org_id = "");
	REFUSED(event.org_id = "a\nb");
	REFUSED(event.user_id = "\xff");
	REFUSED(event.user_id = "\xe2\x80\xa8");
	REFUSED(event.user_id = "\xe2\x80\xae");
	REFUSED(event.run_id = "\x7f");
	REFUSED(event.job_id = "J-1");
	REFUSED(event.job_id = "");
	REFUSED(event.cwd = "workspace");
	REFUSED(event.cwd = "/\x1b[31m");
	REFUSED(event.cwd = longest);
	REFUSED(event.image_digest = "sha256:abc");
	REFUSED(event.image_digest = "latest");
	REFUSED(event.exit_code = 256);
	REFUSED(event.wall_ms = CX_EVENT_NUMBER_MAX + 1);
	REFUSED(event.surface = CX_SURFACE_NONE);
	REFUSED(event.org_id = CX_EVENT_UNIDENTIFIED);
	REFUSED(event.reason = CX_E_NO_SESSION);
	REFUSED(event.termination = CX_TERMINATION_NONE);
	REFUSED(event.decision = CX_DECISION_DENIED);
	REFUSED(event.decision = CX_DECISION_UNKNOWN);
}

/* Every line with one byte changed, left out or doubled is no row. */
static void altered(void **state)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_event event, again;
	char bent[2048];

	(void)state;
	start_allowed(&event);
	event.cwd = "/workspace";
	event.image_digest = digest;
	cx_row_write(&event, &line);
	for (size_t i = 0; i < line.size; i++) {
		memcpy(bent, line.data, i);
		memcpy(bent + i, line.data + i + 1, line.size - i - 1);
		if (cx_row_read(bent, line.size - 1, &again, &text)) {
			CX_AUTO_BUF struct cx_buf copy = { 0 };

			/* a shorter value is an event of its own */
			cx_row_write(&again, &copy);
			assert_memory_equal(copy.data, bent, copy.size);
		}
		memcpy(bent, line.data, line.size);
		bent[i] = '\0';
		assert_false(cx_row_read(bent, line.size, &again, &text));
		bent[i] = '\n';
		assert_false(cx_row_read(bent, line.size, &again, &text));
	}
	assert_false(cx_row_read(line.data, line.size - 1, &again, &text));
	assert_false(cx_row_read("", 0, &again, &text));
}

static void margins(void **state)
{
	static const char *const bad[] = {
		"", "{}", "{\"at\":\"2026-11-30T20:40:47.123Z\"}",
		"{\"at\":\"2026-11-30T20:40:47.123Z\",\"gap\":0,"
		"\"idempotencyKey\":\"k\",\"index\":1}",
		"{\"at\":\"2026-11-30T20:40:47.123Z\","
		"\"idempotencyKey\":\"k\",\"index\":01}",
		"{\"at\":\"2026-11-30T20:40:47.123Z\","
		"\"idempotencyKey\":\"k k\",\"index\":1}",
		"{\"at\":\"2026-11-30T20:40:47.123Z\","
		"\"idempotencyKey\":\"k\",\"index\":1} ",
	};
	struct cx_margin margin = { .at = "2026-11-30T20:40:47.123Z", .gap = 2,
	                          .key = "j-1/1", .index = CX_EVENT_NUMBER_MAX,
	                          .suppressed = 3 };
	struct cx_margin again;
	CX_AUTO_BUF struct cx_buf line = { 0 };

	(void)state;
	cx_margin_write(&margin, &line);
	assert_true(cx_margin_read(line.data, line.size, &again));
	assert_true(again.index == CX_EVENT_NUMBER_MAX && again.gap == 2);
	assert_string_equal(again.key, "j-1/1");
	assert_true(cx_margin_day(again.at) == 20261130);
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_false(cx_margin_read(bad[i], strlen(bad[i]), &again));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(canonical), cmocka_unit_test(words),
		cmocka_unit_test(refused), cmocka_unit_test(altered),
		cmocka_unit_test(margins),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
