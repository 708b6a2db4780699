/* schema.c - see schema.h. */
#include "data/schema.h"

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new_nocheck(object, name, value);
}

static const char *type_name(enum cx_shape_kind kind)
{
	switch (kind) {
	case CX_SHAPE_TEXT:
		return "string";
	case CX_SHAPE_NUMBER:
		return "integer";
	case CX_SHAPE_REAL:
		return "number";
	case CX_SHAPE_BOOL:
		return "boolean";
	case CX_SHAPE_OBJECT:
	case CX_SHAPE_MAP:
		return "object";
	case CX_SHAPE_LIST:
		return "array";
	case CX_SHAPE_ANY:
		break;
	}
	return NULL;
}

static void set_type(json_t *schema, const struct cx_shape *shape)
{
	const char *name = type_name(shape->kind);
	json_t *both;

	if (!name)
		return;
	if (!shape->nullable) {
		set(schema, "type", json_string(name));
		return;
	}
	both = json_array();
	json_array_append_new(both, json_string(name));
	json_array_append_new(both, json_string("null"));
	set(schema, "type", both);
}

static void set_words(json_t *schema, const struct cx_shape *shape)
{
	json_t *list = json_array();

	for (const char *const *word = shape->word; *word; word++)
		json_array_append_new(list, json_string(*word));
	if (shape->nullable)
		json_array_append_new(list, json_null());
	set(schema, "enum", list);
}

static void set_bounds(json_t *schema, const struct cx_shape *shape,
                       const char *low, const char *high)
{
	if (!shape->min && !shape->max)
		return;
	set(schema, low, json_integer(shape->min));
	set(schema, high, json_integer(shape->max));
}

static void set_members(json_t *schema, const struct cx_shape *shape)
{
	json_t *members = json_object(), *required = json_array();

	for (const struct cx_shape *one = shape->sub; one && one->name; one++) {
		set(members, one->name, cx_schema_of(one));
		if (one->required)
			json_array_append_new(required, json_string(one->name));
	}
	set(schema, "properties", members);
	if (json_array_size(required))
		set(schema, "required", required);
	else
		json_decref(required);
	if (!shape->open)
		set(schema, "additionalProperties", json_false());
}

/* A length in bytes bounds the number of characters from above only. */
static void set_text(json_t *schema, const struct cx_shape *shape)
{
	if (shape->word) {
		set_words(schema, shape);
		return;
	}
	if (shape->min)
		set(schema, "minLength", json_integer((shape->min + 3) / 4));
	if (shape->max)
		set(schema, "maxLength", json_integer(shape->max));
	if (shape->pattern)
		set(schema, "pattern", json_string(shape->pattern));
}

json_t *cx_schema_of(const struct cx_shape *shape)
{
	json_t *schema = json_object();

	if (shape->about)
		set(schema, "description", json_string(shape->about));
	set_type(schema, shape);
	switch (shape->kind) {
	case CX_SHAPE_TEXT:
		set_text(schema, shape);
		break;
	case CX_SHAPE_NUMBER:
	case CX_SHAPE_REAL:
		set_bounds(schema, shape, "minimum", "maximum");
		break;
	case CX_SHAPE_OBJECT:
		set_members(schema, shape);
		break;
	case CX_SHAPE_LIST:
		set(schema, "items", cx_schema_of(shape->sub));
		set_bounds(schema, shape, "minItems", "maxItems");
		break;
	case CX_SHAPE_MAP:
		set(schema, "additionalProperties", cx_schema_of(shape->sub));
		break;
	case CX_SHAPE_BOOL:
	case CX_SHAPE_ANY:
		break;
	}
	return schema;
}
