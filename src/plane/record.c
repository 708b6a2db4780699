/* record.c - see record.h. */
#include "plane/record.h"

#include "base/clock.h"
#include "model/row.h"
#include "model/margin.h"
#include "plane/cooldown.h"

enum cx_segment_sync cx_record_sync(const struct cx_config *config)
{
	switch (config->audit_sync) {
	case CX_CONFIG_SYNC_NONE:
		return CX_SEGMENT_SYNC_NONE;
	case CX_CONFIG_SYNC_EACH:
		return CX_SEGMENT_SYNC_EACH;
	case CX_CONFIG_SYNC_GROUP:
		break;
	}
	return CX_SEGMENT_SYNC_GROUP;
}

void cx_record_open(const struct cx_state *state, struct cx_db *db,
                    enum cx_segment_sync sync, struct cx_record_sink *ret)
{
	*ret = (struct cx_record_sink){
		.state = state,
		.db = db,
		.sync = sync,
		.log = { .dir_fd = -1, .lock_fd = -1 },
	};
}

void cx_record_done(struct cx_record_sink *sink)
{
	if (sink->is_open)
		cx_segment_done(&sink->log);
	sink->is_open = false;
}

static int open_log(struct cx_record_sink *sink, struct cx_err *err)
{
	if (!sink->is_open &&
	    cx_segment_open(sink->state->fd, &sink->log, err) < 0)
		return -1;
	sink->is_open = true;
	return 0;
}

void cx_record_ready(struct cx_record_sink *sink)
{
	struct cx_err ignored;

	open_log(sink, &ignored);
}

static int write_event(struct cx_record_sink *sink,
                       const struct cx_event *event, const char *key,
                       bool late, uint64_t suppressed, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	struct cx_segment_record record = {
		.at_ms = cx_clock_wall_ms(),
		.key = key,
		.suppressed = suppressed,
		.search_all = late,
	};
	struct cx_segment_result result;

	cx_row_write(event, &line);
	record.line = line.data;
	record.size = line.size;
	if (open_log(sink, err) < 0)
		return -1;
	if (cx_segment_append(&sink->log, &record, sink->sync, &result,
	                      err) < 0)
		return -1;
	sink->torn_bytes += result.torn_bytes;
	sink->last_index = result.index;
	if (result.duplicate)
		sink->duplicate++;
	else
		sink->written++;
	return 0;
}

/* Without the database nothing is suppressed: rather twice than never. */
static int write_denied(struct cx_record_sink *sink,
                        const struct cx_event *event, const char *key,
                        struct cx_err *err)
{
	struct cx_err trouble = { 0 };
	uint64_t suppressed = 0;
	bool pass = true;
	int64_t now = cx_clock_wall_ms() / 1000;

	if (cx_cooldown_pass(sink->db, event, now, &pass, &suppressed,
	                     &trouble) < 0) {
		pass = true;
		suppressed = 0;
	}
	if (!pass) {
		sink->suppressed++;
		return 0;
	}
	if (write_event(sink, event, key, false, suppressed, err) == 0)
		return 0;
	if (trouble.code == CX_E_NONE)
		cx_cooldown_undo(sink->db, event, suppressed, &trouble);
	return -1;
}

int cx_record_try(struct cx_record_sink *sink, const struct cx_event *event,
                  const char *idempotency_key, bool late, struct cx_err *err)
{
	if (!cx_margin_is_key(idempotency_key))
		return cx_err_set(err, CX_E_AUDIT_FIELD_REFUSED,
		                  "the idempotency key must be 1 to 128 of "
		                  "A-Z a-z 0-9 . _ : / -");
	if (cx_event_check(event, err) < 0)
		return -1;
	if (event->decision == CX_DECISION_DENIED)
		return write_denied(sink, event, idempotency_key, err);
	return write_event(sink, event, idempotency_key, late, 0, err);
}

static void append(struct cx_record_sink *sink, const struct cx_event *given,
                   const char *key, bool late)
{
	struct cx_event event = *given;
	struct cx_err err = { 0 };

	if (event.cwd && !cx_event_is_cwd(event.cwd))
		event.cwd = NULL;
	if (cx_record_try(sink, &event, key, late, &err) < 0 &&
	    sink->failed++ == 0)
		sink->first = err;
}

void cx_record_append(struct cx_record_sink *sink,
                      const struct cx_event *event,
                      const char *idempotency_key)
{
	append(sink, event, idempotency_key, false);
}

void cx_record_append_late(struct cx_record_sink *sink,
                           const struct cx_event *event,
                           const char *idempotency_key)
{
	append(sink, event, idempotency_key, true);
}

bool cx_record_complaint(const struct cx_record_sink *sink,
                         struct cx_err *ret_err)
{
	if (sink->failed == 0)
		return false;
	cx_err_set(ret_err, CX_E_AUDIT_UNAVAILABLE,
	           "%llu record%s couldn't be written: %.300s: %.300s",
	           (unsigned long long)sink->failed,
	           sink->failed == 1 ? "" : "s",
	           cx_err_name(sink->first.code), sink->first.text);
	return true;
}
