/* classify.c - see classify.h. */
#include "gateway/classify.h"

#include <string.h>

#include "model/range.h"

static const char *const outcome_word[] = { "allow", "deny", NULL };

static const struct cx_shape question[] = {
	{ .name = "addr", .kind = CX_SHAPE_TEXT, .required = true, .max = 255,
	  .about = "The address." },
	{ .name = NULL },
};

static const struct cx_shape answer[] = {
	{ .name = "addr", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "The address in canonical form (RFC 5952)." },
	{ .name = "decision", .kind = CX_SHAPE_TEXT, .required = true,
	  .word = outcome_word, .about = "Whether it may be reached." },
	{ .name = "status", .kind = CX_SHAPE_NUMBER, .required = true,
	  .max = 599, .about = "The status that a request for it gets." },
	{ .name = "reason", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "public, protected_address or local_address." },
	{ .name = "range", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "The protected range, or global." },
	{ .name = NULL },
};

const struct cx_shape cx_classify_shape = {
	.name = "address", .kind = CX_SHAPE_OBJECT, .sub = question,
	.about = "An address.",
};

const struct cx_shape cx_classify_answer_shape = {
	.name = "class", .kind = CX_SHAPE_OBJECT, .sub = answer,
	.about = "What it is.",
};

static void say(json_t *doc, const struct cx_addr *addr, const char *range,
                const char *reason)
{
	char text[CX_ADDR_TEXT_BYTES];
	bool open = strcmp(reason, "public") == 0;

	cx_addr_write(addr, text);
	json_object_set_new(doc, "addr", json_string(text));
	json_object_set_new(doc, "decision",
	                    json_string(outcome_word[open ? 0 : 1]));
	json_object_set_new(doc, "status", json_integer(open ? 200 : 403));
	json_object_set_new(doc, "reason", json_string(reason));
	json_object_set_new(doc, "range", json_string(range ? range
	                                                    : "global"));
}

int cx_classify_take(json_t *doc, void *context, struct cx_err *err)
{
	const struct cx_terrain_book *book = context;
	const struct cx_terrain *terrain = &book->terrain;
	const char *text, *range;
	const char *reason = "public";
	struct cx_addr addr;

	if (cx_shape_check(&cx_classify_shape, doc, "", CX_E_INPUT_INVALID,
	                   err) < 0)
		return -1;
	text = cx_json_text(doc, "addr");
	if (!cx_addr_read(text, strlen(text), &addr)) {
		cx_err_set(err, CX_E_INPUT_INVALID, "is no canonical address");
		return cx_err_at(err, "/addr");
	}
	range = cx_range_find(&addr, terrain->nat64, terrain->nat64s);
	for (size_t i = 0; i < terrain->locals; i++)
		if (cx_addr_is_same(&terrain->local[i], &addr))
			reason = "local_address";
	say(doc, &addr, range, range ? "protected_address" : reason);
	return 0;
}
