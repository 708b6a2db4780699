/* zone.c - see zone.h. */
#include "gateway/zone.h"

#include <string.h>

static const struct cx_shape text = {
	.kind = CX_SHAPE_TEXT, .max = 255, .about = "An address.",
};

static const struct cx_shape turn_list = {
	.kind = CX_SHAPE_LIST, .sub = &text, .max = CX_ZONE_ANSWERS_MAX,
	.about = "The answer of one lookup.",
};

static const struct cx_shape member[] = {
	{ .name = "A", .kind = CX_SHAPE_LIST, .sub = &text,
	  .max = CX_ZONE_ANSWERS_MAX, .about = "IPv4 addresses." },
	{ .name = "AAAA", .kind = CX_SHAPE_LIST, .sub = &text,
	  .max = CX_ZONE_ANSWERS_MAX, .about = "IPv6 addresses." },
	{ .name = "CNAME", .kind = CX_SHAPE_TEXT, .min = 1, .max = 255,
	  .about = "The name to ask for instead." },
	{ .name = "error", .kind = CX_SHAPE_TEXT, .min = 1, .max = 32,
	  .about = "NXDOMAIN, TIMEOUT, or another code of a failure." },
	{ .name = "sequence", .kind = CX_SHAPE_LIST, .sub = &turn_list,
	  .min = 1, .max = 64, .about = "Answers of one lookup after the "
	  "other; the last stays." },
	{ .name = "ttl", .kind = CX_SHAPE_NUMBER, .max = 2147483647,
	  .about = "Seconds that the answer may be kept; decide keeps none." },
	{ .name = NULL },
};

const struct cx_shape cx_zone_record = {
	.kind = CX_SHAPE_OBJECT, .sub = member, .about = "What a name has.",
};

static void collect(const json_t *list, struct cx_answers *ret)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (ret->count < CX_ZONE_ANSWERS_MAX &&
		    cx_addr_read(json_string_value(item),
		                 json_string_length(item),
		                 &ret->addr[ret->count]))
			ret->count++;
		else
			ret->foreign = true;
	}
}

static enum cx_lookup failure_of(const char *code)
{
	if (strcmp(code, "NXDOMAIN") == 0)
		return CX_LOOKUP_NOT_FOUND;
	return strcmp(code, "TIMEOUT") == 0 ? CX_LOOKUP_TIMEOUT
	                                    : CX_LOOKUP_ERROR;
}

static const json_t *turn_of(const json_t *record, size_t turn)
{
	const json_t *sequence = json_object_get(record, "sequence");
	size_t count = json_array_size(sequence);

	return json_array_get(sequence, turn < count ? turn : count - 1);
}

enum cx_lookup cx_zone_find(const json_t *zone, const char *name, size_t *turn,
                            struct cx_answers *ret)
{
	size_t asked = (*turn)++;

	ret->count = 0;
	ret->foreign = false;
	for (int i = 0; i <= CX_ZONE_ALIASES_MAX; i++) {
		const json_t *found = json_object_get(zone, name);
		const char *error = cx_json_text(found, "error");

		if (!found)
			return CX_LOOKUP_NOT_FOUND;
		if (error)
			return failure_of(error);
		name = cx_json_text(found, "CNAME");
		if (name)
			continue;
		collect(turn_of(found, asked), ret);
		collect(json_object_get(found, "A"), ret);
		collect(json_object_get(found, "AAAA"), ret);
		return CX_LOOKUP_FOUND;
	}
	return CX_LOOKUP_ERROR;
}
