/* shape.c - see shape.h; the schema is schema.c's. */
#include "data/shape.h"

#include "base/str.h"
#include "data/schema.h"

struct check {
	enum cx_class code;
	struct cx_buf pointer;
	struct cx_err *err;
};

static int check_value(struct check *check, const struct cx_shape *shape,
                       const json_t *value);

static int fault(struct check *check)
{
	return cx_err_at(check->err, "%s",
	                 check->pointer.data ? check->pointer.data : "");
}

static bool is_bounded(const struct cx_shape *shape)
{
	return shape->min || shape->max;
}

/* Adds one reference token, checks below it, and takes it off again. */
static int check_below(struct check *check, const struct cx_shape *shape,
                       const char *token, const json_t *value)
{
	size_t before = check->pointer.size;
	int done;

	cx_json_token(&check->pointer, token);
	done = check_value(check, shape, value);
	check->pointer.size = before;
	check->pointer.data[before] = '\0';
	return done;
}

static int check_words(struct check *check, const struct cx_shape *shape,
                       const char *text)
{
	CX_AUTO_BUF struct cx_buf list = { 0 };

	for (const char *const *word = shape->word; *word; word++) {
		if (cx_str_same(*word, text))
			return 0;
		cx_buf_print(&list, "%s%s", list.size ? ", " : "", *word);
	}
	cx_err_set(check->err, check->code, "must be one of: %s", list.data);
	return fault(check);
}

static int check_text(struct check *check, const struct cx_shape *shape,
                      const json_t *value)
{
	const char *text = json_string_value(value);
	long long size = (long long)json_string_length(value);

	if (shape->word)
		return check_words(check, shape, text);
	if (is_bounded(shape) && size < shape->min) {
		if (shape->min == 1)
			cx_err_set(check->err, check->code,
			           "must not be empty");
		else
			cx_err_set(check->err, check->code,
			           "must have at least %lld bytes", shape->min);
		return fault(check);
	}
	if (is_bounded(shape) && size > shape->max) {
		cx_err_set(check->err, check->code,
		           "must have at most %lld bytes", shape->max);
		return fault(check);
	}
	if (shape->fits && !shape->fits(text)) {
		if (shape->pattern)
			cx_err_set(check->err, check->code, "must match %s",
			           shape->pattern);
		else
			cx_err_set(check->err, check->code,
			           "isn't of the right form: %s",
			           shape->about ? shape->about : "");
		return fault(check);
	}
	return 0;
}

static int check_whole(struct check *check, const struct cx_shape *shape,
                       const json_t *value)
{
	long long number = json_integer_value(value);

	if (!is_bounded(shape) ||
	    (number >= shape->min && number <= shape->max))
		return 0;
	cx_err_set(check->err, check->code,
	           "must be a whole number from %lld to %lld", shape->min,
	           shape->max);
	return fault(check);
}

static int check_real(struct check *check, const struct cx_shape *shape,
                      const json_t *value)
{
	double number = json_number_value(value);

	if (!is_bounded(shape) || (number >= (double)shape->min &&
	                           number <= (double)shape->max))
		return 0;
	cx_err_set(check->err, check->code, "must be from %lld to %lld",
	           shape->min, shape->max);
	return fault(check);
}

static const struct cx_shape *find(const struct cx_shape *member,
                                   const char *name)
{
	for (; member && member->name; member++)
		if (cx_str_same(member->name, name))
			return member;
	return NULL;
}

static int unknown(struct check *check, const struct cx_shape *shape,
                   const char *name)
{
	CX_AUTO_BUF struct cx_buf list = { 0 };

	for (const struct cx_shape *one = shape->sub; one && one->name; one++)
		cx_buf_print(&list, "%s%s", list.size ? ", " : "", one->name);
	cx_json_token(&check->pointer, name);
	cx_err_set(check->err, check->code,
	           "no such member; known here: %.600s",
	           list.data ? list.data : "none");
	return fault(check);
}

static int check_object(struct check *check, const struct cx_shape *shape,
                        json_t *object)
{
	const struct cx_shape *member;
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value) {
		member = find(shape->sub, name);
		if (!member && !shape->open)
			return unknown(check, shape, name);
		if (member && check_below(check, member, name, value) < 0)
			return -1;
	}
	for (member = shape->sub; member && member->name; member++) {
		if (!member->required || json_object_get(object, member->name))
			continue;
		cx_err_set(check->err, check->code, "\"%s\" is missing",
		           member->name);
		return fault(check);
	}
	return 0;
}

static int check_map(struct check *check, const struct cx_shape *shape,
                     json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value) {
		if (shape->fits && !shape->fits(name)) {
			cx_err_set(check->err, check->code,
			           "holds a name of another form: %s",
			           shape->about ? shape->about : "");
			return fault(check);
		}
		if (check_below(check, shape->sub, name, value) < 0)
			return -1;
	}
	return 0;
}

static int check_count(struct check *check, const struct cx_shape *shape,
                       const json_t *list)
{
	long long count = (long long)json_array_size(list);

	if (!is_bounded(shape) || (count >= shape->min && count <= shape->max))
		return 0;
	cx_err_set(check->err, check->code,
	           "must have from %lld to %lld entries", shape->min,
	           shape->max);
	return fault(check);
}

static int check_list(struct check *check, const struct cx_shape *shape,
                      const json_t *list)
{
	size_t count = json_array_size(list);
	char token[24];

	if (check_count(check, shape, list) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		snprintf(token, sizeof token, "%zu", i);
		if (check_below(check, shape->sub, token,
		                json_array_get(list, i)) < 0)
			return -1;
	}
	return 0;
}

static int wrong_type(struct check *check, const struct cx_shape *shape)
{
	static const char *const wanted[] = {
		[CX_SHAPE_TEXT] = "a text",
		[CX_SHAPE_NUMBER] = "a whole number",
		[CX_SHAPE_REAL] = "a number",
		[CX_SHAPE_BOOL] = "true or false",
		[CX_SHAPE_OBJECT] = "an object",
		[CX_SHAPE_LIST] = "a list",
		[CX_SHAPE_MAP] = "an object",
	};

	cx_err_set(check->err, check->code, "must be %s%s",
	           wanted[shape->kind], shape->nullable ? " or null" : "");
	return fault(check);
}

static bool has_type(enum cx_shape_kind kind, const json_t *value)
{
	switch (kind) {
	case CX_SHAPE_TEXT:
		return json_is_string(value);
	case CX_SHAPE_NUMBER:
		return json_is_integer(value);
	case CX_SHAPE_REAL:
		return json_is_number(value);
	case CX_SHAPE_BOOL:
		return json_is_boolean(value);
	case CX_SHAPE_OBJECT:
	case CX_SHAPE_MAP:
		return json_is_object(value);
	case CX_SHAPE_LIST:
		return json_is_array(value);
	case CX_SHAPE_ANY:
		return true;
	}
	return false;
}

static int check_value(struct check *check, const struct cx_shape *shape,
                       const json_t *value)
{
	/* jansson's iterators take a pointer to non-const. */
	union { const json_t *given; json_t *taken; } cast = { value };

	if (shape->nullable && json_is_null(value))
		return 0;
	if (!has_type(shape->kind, value))
		return wrong_type(check, shape);
	switch (shape->kind) {
	case CX_SHAPE_TEXT:
		return check_text(check, shape, value);
	case CX_SHAPE_NUMBER:
		return check_whole(check, shape, value);
	case CX_SHAPE_REAL:
		return check_real(check, shape, value);
	case CX_SHAPE_OBJECT:
		return check_object(check, shape, cast.taken);
	case CX_SHAPE_MAP:
		return check_map(check, shape, cast.taken);
	case CX_SHAPE_LIST:
		return check_list(check, shape, value);
	case CX_SHAPE_BOOL:
	case CX_SHAPE_ANY:
		break;
	}
	return 0;
}

int cx_shape_check(const struct cx_shape *shape, const json_t *value,
                   const char *pointer, enum cx_class code,
                   struct cx_err *err)
{
	struct check check = { .code = code, .err = err };
	int done;

	cx_buf_text(&check.pointer, pointer);
	done = check_value(&check, shape, value);
	cx_buf_done(&check.pointer);
	return done;
}

json_t *cx_shape_schema(const struct cx_shape *shape, const char *title)
{
	static const char draft[] =
		"https://json-schema.org/draft/2020-12/schema";
	json_t *schema = cx_schema_of(shape), *top = json_object();

	json_object_set_new(top, "$schema", json_string(draft));
	json_object_set_new(top, "title", json_string(title));
	json_object_update_missing(top, schema);
	json_decref(schema);
	return top;
}
