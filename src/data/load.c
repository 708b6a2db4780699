/* load.c - see load.h. */
#include "data/load.h"

#include <yaml.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/place.h"
#include "data/plain.h"
#include "data/screen.h"

struct frame {
	json_t *container; /* borrowed: its parent or the root owns it */
	char *key;         /* mappings: the key in use, owned, or NULL */
};

struct load {
	const char *text;
	size_t size;
	const char *what;
	enum cx_yaml_mode mode;
	json_t *faults; /* borrowed; NULL: the first ends it */
	json_t *root;
	struct frame frame[CX_JSON_DEPTH_MAX];
	size_t depth, containers;
	size_t index, at; /* a character's number, and its byte in text */
	bool ended;
	struct cx_err *err;
};

static struct frame *top(struct load *load)
{
	return load->depth ? &load->frame[load->depth - 1] : NULL;
}

static void add_pointer(const struct load *load, struct cx_buf *pointer)
{
	for (size_t i = 0; i < load->depth; i++) {
		const struct frame *frame = &load->frame[i];
		size_t count = json_array_size(frame->container);

		if (json_is_array(frame->container))
			cx_buf_print(pointer, "/%zu",
			             i + 1 < load->depth ? count - 1 : count);
		else if (frame->key)
			cx_json_token(pointer, frame->key);
	}
}

static int fail(const struct load *load, yaml_mark_t mark, const char *message)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };
	struct cx_place place = { mark.line + 1, mark.column + 1 };

	add_pointer(load, &pointer);
	return cx_place_fail(load->err, load->what, place,
	                     pointer.data ? pointer.data : "", message);
}

/* The byte of the character that libyaml gives the number index; for numbers
 * that grow, so that all calls together walk the text once. */
static size_t byte_at(struct load *load, size_t index)
{
	while (load->index < index && load->at < load->size) {
		do
			load->at++;
		while (load->at < load->size &&
		       ((unsigned char)load->text[load->at] & 0xc0) == 0x80);
		load->index++;
	}
	return load->at;
}

/*
 * In brackets libyaml takes every ? for the sign of a key; by YAML 1.2 [?x]
 * is the text "?x". So nothing may begin right behind one.
 */
static int check_node(struct load *load, const yaml_event_t *event,
                      const yaml_char_t *anchor, const yaml_char_t *tag)
{
	yaml_mark_t mark = event->start_mark;
	size_t at = byte_at(load, mark.index);
	bool empty = event->end_mark.index == mark.index;

	if (anchor)
		return fail(load, mark, "anchors are refused");
	if (tag)
		return fail(load, mark, "tags are refused");
	if (!empty && at > 0 && load->text[at - 1] == '?')
		return fail(load, mark, "a \"?\" before this; quote the text, "
		            "or put a space between");
	return 0;
}

/* A comment needs a blank before it; libyaml takes "x"#y for "x". */
static int check_behind(struct load *load, const yaml_event_t *event)
{
	size_t at = byte_at(load, event->end_mark.index);

	if (event->type == YAML_SCALAR_EVENT &&
	    event->data.scalar.style != YAML_SINGLE_QUOTED_SCALAR_STYLE &&
	    event->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		return 0;
	if (at == load->size || load->text[at] != '#')
		return 0;
	return fail(load, event->end_mark, "a \"#\" right behind a value; put "
	            "a space before a comment");
}

/* libyaml's words, and what to do about the frequent ones. */
static int fail_syntax(const struct load *load, const yaml_parser_t *parser)
{
	static const struct { const char *says, *means; } hint[] = {
		{ "mapping values are not allowed in this context",
		  "a \": \" that can't stand here; quote the text that it "
		  "belongs to" },
		{ "found character that cannot start any token",
		  "a character that can't begin a value (a tab, %, @ or `); "
		  "indent with spaces, or quote the text" },
		{ "could not find expected ':'",
		  "a \":\" is missing after the key before this" },
		{ "did not find expected <document start>",
		  "more text after the end of the document" },
	};
	const char *says = parser->problem ? parser->problem : "not YAML";

	if (parser->error == YAML_MEMORY_ERROR)
		return cx_err_set(load->err, CX_E_INTERNAL, "out of memory");
	for (size_t i = 0; i < CX_COUNT(hint); i++)
		if (cx_str_same(hint[i].says, says))
			says = hint[i].means;
	return fail(load, parser->problem_mark, says);
}

/* Puts value (owned by the call) where it belongs. */
static void attach(struct load *load, json_t *value)
{
	struct frame *frame = top(load);

	if (!frame) {
		load->root = value;
	} else if (json_is_array(frame->container)) {
		json_array_append_new(frame->container, value);
	} else {
		json_object_set_new_nocheck(frame->container, frame->key,
		                            value);
	}
}

/* After a whole value: its key is done with. */
static void finish(struct load *load)
{
	struct frame *frame = top(load);

	if (frame) {
		free(frame->key);
		frame->key = NULL;
	}
}

static bool wants_key(struct load *load)
{
	struct frame *frame = top(load);

	return frame && json_is_object(frame->container) && !frame->key;
}

static int take_key(struct load *load, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	struct frame *frame = top(load);

	if (plain && cx_str_same(text, "<<"))
		return fail(load, event->start_mark,
		            "merge keys are refused; write the members out");
	if (plain && !cx_plain_is_text(text))
		return fail(load, event->start_mark,
		            "a key that YAML doesn't read as a text; quote it");
	if (plain && load->mode == CX_YAML_DECLARATION &&
	    !cx_plain_is_surely_text(text))
		return fail(load, event->start_mark, "a key that YAML 1.1 "
		            "doesn't read as a text; quote it");
	frame->key = cx_mem_text(text);
	if (json_object_get(frame->container, text))
		return fail(load, event->start_mark, "this key stands twice");
	return 0;
}

/* A doubtful scalar: an entry of the list, with null in its place, or the end.
 * Returns the value, or NULL with err. */
static json_t *doubt(struct load *load, yaml_mark_t mark, bool empty)
{
	const char *message = empty ?
		"nothing stands here; write a text, or \"\" for an empty one" :
		"YAML may read this as something else than text; quote it";

	fail(load, mark, message);
	if (!load->faults)
		return NULL;
	json_array_append_new(load->faults,
	                      json_pack("{s:s, s:s}", "pointer",
	                                load->err->pointer, "message",
	                                load->err->text));
	return json_null();
}

static json_t *scalar_value(struct load *load, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	const char *wrong = NULL;
	json_t *value;

	if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return json_stringn_nocheck(text, event->data.scalar.length);
	if (load->mode == CX_YAML_DECLARATION && !cx_plain_is_surely_text(text))
		return doubt(load, event->start_mark, *text == '\0');
	value = cx_plain_value(text, &wrong);
	if (!value)
		fail(load, event->start_mark, wrong);
	return value;
}

static int take_scalar(struct load *load, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	json_t *value;

	if (check_node(load, event, event->data.scalar.anchor,
	               event->data.scalar.tag) < 0)
		return -1;
	if (memchr(text, 0, event->data.scalar.length))
		return fail(load, event->start_mark,
		            "\\0 (NUL) is refused in texts");
	if (check_behind(load, event) < 0)
		return -1;
	if (wants_key(load))
		return take_key(load, event);
	value = scalar_value(load, event);
	if (!value)
		return -1;
	attach(load, value);
	finish(load);
	return 0;
}

static int take_open(struct load *load, const yaml_event_t *event,
                     const yaml_char_t *anchor, const yaml_char_t *tag,
                     bool list)
{
	json_t *made;

	if (check_node(load, event, anchor, tag) < 0)
		return -1;
	if (wants_key(load))
		return fail(load, event->start_mark,
		            "a key must be a text, not a list or an object");
	if (load->depth == CX_JSON_DEPTH_MAX)
		return fail(load, event->start_mark, "nested deeper than 64");
	if (++load->containers > CX_JSON_CONTAINERS_MAX)
		return fail(load, event->start_mark,
		            "more than 1,048,576 objects and lists");
	made = list ? json_array() : json_object();
	attach(load, made);
	load->frame[load->depth++] = (struct frame){ made, NULL };
	return 0;
}

/* Only blanks, comments and "..." may follow the one document. */
static int take_end(struct load *load, yaml_mark_t mark)
{
	size_t at = byte_at(load, mark.index);

	load->ended = true;
	at = cx_screen_blank_end(load->text, load->size, at);
	while (load->size - at >= 3 && memcmp(load->text + at, "...", 3) == 0)
		at = cx_screen_blank_end(load->text, load->size, at + 3);
	if (at == load->size)
		return 0;
	return cx_place_fail(load->err, load->what,
	                     cx_place_of(load->text, load->size, at), "",
	                     load->size - at >= 3 &&
	                     memcmp(load->text + at, "---", 3) == 0 ?
	                     "a second document; one is read here" :
	                     "more text after the end of the document");
}

static int take(struct load *load, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_STREAM_END_EVENT:
		return cx_err_set(load->err, CX_E_INPUT_INVALID,
		                  "%.200s: line 1, column 1: it is empty",
		                  load->what);
	case YAML_DOCUMENT_END_EVENT:
		return take_end(load, event->end_mark);
	case YAML_ALIAS_EVENT:
		return fail(load, event->start_mark, "aliases are refused");
	case YAML_SCALAR_EVENT:
		return take_scalar(load, event);
	case YAML_SEQUENCE_START_EVENT:
		return take_open(load, event, event->data.sequence_start.anchor,
		                 event->data.sequence_start.tag, true);
	case YAML_MAPPING_START_EVENT:
		return take_open(load, event, event->data.mapping_start.anchor,
		                 event->data.mapping_start.tag, false);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		load->depth--;
		finish(load);
		return check_behind(load, event);
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_START_EVENT:
		break;
	}
	return 0;
}

static int load_events(struct load *load, yaml_parser_t *parser)
{
	yaml_event_t event;
	int done = 0;

	while (done == 0 && !load->ended) {
		if (!yaml_parser_parse(parser, &event))
			return fail_syntax(load, parser);
		done = take(load, &event);
		yaml_event_delete(&event);
	}
	return done;
}

int cx_load_text(const char *text, size_t size, const char *what,
                 enum cx_yaml_mode mode, json_t *faults, json_t **ret_value,
                 struct cx_err *err)
{
	struct load load = {
		.text = text, .size = size, .what = what, .mode = mode,
		.faults = faults, .err = err,
	};
	yaml_parser_t parser;
	int done;

	if (!yaml_parser_initialize(&parser))
		return cx_err_set(err, CX_E_INTERNAL, "out of memory");
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text,
	                             size);
	done = load_events(&load, &parser);
	yaml_parser_delete(&parser);
	for (size_t i = 0; i < load.depth; i++)
		free(load.frame[i].key);
	if (done < 0)
		json_decref(load.root);
	else
		*ret_value = load.root;
	return done;
}
