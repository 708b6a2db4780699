/* deposit.c - see deposit.h. */
#include "audit/deposit.h"

#include "audit/intake.h"
#include "base/hex.h"
#include "base/rand.h"
#include "model/margin.h"

static const struct cx_shape member[] = {
	{ .name = "index", .kind = CX_SHAPE_NUMBER, .required = true,
	  .nullable = true, .max = CX_EVENT_NUMBER_MAX,
	  .about = "The record's number; null when it was suppressed." },
	{ .name = "duplicate", .kind = CX_SHAPE_BOOL,
	  .about = "A record with this key stood there already: its number." },
	{ .name = "suppressed", .kind = CX_SHAPE_BOOL,
	  .about = "A refusal like this one was recorded less than a minute "
	           "ago; it is counted instead." },
	{ .name = NULL },
};

const struct cx_shape cx_deposit_shape = {
	.name = "entry", .kind = CX_SHAPE_OBJECT, .sub = member,
	.about = "What became of the record.",
};

static int make_key(struct cx_deposit *entry, char *ret, size_t size,
                    struct cx_err *err)
{
	uint8_t byte[16];
	int length;

	entry->count++;
	if (!entry->key) {
		if (cx_rand_fill(byte, sizeof byte, err) < 0)
			return -1;
		cx_hex_write(byte, sizeof byte, ret);
		return 0;
	}
	if (entry->many)
		length = snprintf(ret, size, "%s/%llu", entry->key,
		                  (unsigned long long)entry->count);
	else
		length = snprintf(ret, size, "%s", entry->key);
	if ((size_t)length >= size || !cx_margin_is_key(ret))
		return cx_err_set(err, CX_E_USAGE,
		                  "--key must be at most %d characters of "
		                  "A-Z a-z 0-9 . _ : / -", CX_MARGIN_KEY_MAX);
	return 0;
}

int cx_deposit_take(json_t *doc, void *context, struct cx_err *err)
{
	struct cx_deposit *entry = context;
	struct cx_record_sink *sink = entry->sink;
	uint64_t suppressed = sink->suppressed, duplicate = sink->duplicate;
	char key[CX_MARGIN_KEY_MAX + 1];
	struct cx_event event;
	int result = make_key(entry, key, sizeof key, err);

	if (result == 0)
		result = cx_intake_event(doc, &event, err);
	if (result == 0)
		result = cx_record_try(sink, &event, key, false, err);
	json_object_clear(doc);
	if (result < 0)
		return -1;
	if (sink->suppressed > suppressed) {
		json_object_set_new(doc, "index", json_null());
		json_object_set_new(doc, "suppressed", json_true());
		return 0;
	}
	json_object_set_new(doc, "index",
	                    json_integer((json_int_t)sink->last_index));
	if (sink->duplicate > duplicate)
		json_object_set_new(doc, "duplicate", json_true());
	return 0;
}
