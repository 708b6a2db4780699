/* brief.c - see brief.h. */
#include "gateway/brief.h"

#include "plane/allowlist.h"

const struct cx_shape cx_brief_host = {
	.kind = CX_SHAPE_TEXT, .max = CX_ALLOWLIST_TEXT_MAX,
	.about = "An entry.",
};

const struct cx_shape cx_brief_port = {
	.kind = CX_SHAPE_NUMBER, .min = 1, .max = 65535,
	.about = "A TCP port.",
};

static int read_entry(const json_t *text, const char *pointer, size_t index,
                      struct cx_entry *ret, struct cx_err *err)
{
	if (cx_allowlist_read(json_string_value(text), ret, err) == 0)
		return 0;
	snprintf(err->pointer, sizeof err->pointer, "%s/hosts/%zu", pointer,
	         index);
	return -1;
}

int cx_brief_read(const json_t *value, const char *pointer,
                  const struct cx_terrain *terrain, struct cx_entry *entry,
                  struct cx_policy *ret, struct cx_err *err)
{
	const json_t *item;
	size_t i;

	*ret = (struct cx_policy){ .entry = entry, .terrain = terrain };
	cx_tier_find(cx_json_text(value, "tier"), &ret->tier);
	json_array_foreach(json_object_get(value, "hosts"), i, item)
		if (read_entry(item, pointer, i, &entry[ret->entries++],
		               err) < 0)
			return -1;
	json_array_foreach(json_object_get(value, "ports"), i, item)
		ret->port[ret->ports++] = (uint16_t)json_integer_value(item);
	return 0;
}
