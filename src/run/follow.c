/* follow.c - see follow.h. */
#include "run/follow.h"

#include "base/str.h"
#include "data/json.h"
#include "data/opaque.h"

static const char *const events[] = { "started", "stdout", "stderr", NULL };

static const struct cx_shape member[] = {
	{ .name = "event", .kind = CX_SHAPE_TEXT, .word = events,
	  .required = true, .about = "What happened." },
	{ .name = "index", .kind = CX_SHAPE_NUMBER, .required = true,
	  .about = "Which of the document's commands, from 0." },
	{ .name = "jobId", .kind = CX_SHAPE_TEXT,
	  .about = "The job that the command belongs to." },
	{ .name = "offset", .kind = CX_SHAPE_NUMBER,
	  .about = "Where in the stream the bytes begin." },
	{ .name = "text", .kind = CX_SHAPE_TEXT,
	  .about = "The bytes, whole characters." },
	{ .name = "base64", .kind = CX_SHAPE_TEXT,
	  .about = "The bytes, where they are no text." },
	{ .name = NULL },
};
const struct cx_shape cx_follow_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = member,
	.about = "With --follow, a line for each event before the document.",
};

void cx_follow_start(bool person, bool colour, struct cx_follow *ret)
{
	*ret = (struct cx_follow){ .person = person, .colour = colour };
	cx_relay_start(&ret->relay);
}

/* Takes event. */
static void tell(struct cx_follow *follow, json_t *event)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };

	if (follow->person)
		cx_json_pretty(event, follow->colour, &line);
	else
		cx_json_write(event, &line);
	cx_buf_byte(&line, '\n');
	cx_relay_add(&follow->relay, 1, line.data, line.size);
	json_decref(event);
}

void cx_follow_begin(struct cx_follow *follow, size_t index,
                     const char *job_id)
{
	follow->index = index;
	follow->job_id = job_id;
	follow->started = false;
	memset(follow->stream, 0, sizeof follow->stream);
}

void cx_follow_started(struct cx_follow *follow)
{
	if (follow->started)
		return;
	follow->started = true;
	tell(follow, json_pack("{s:s, s:I, s:s}", "event", "started", "index",
	                       (json_int_t)follow->index, "jobId",
	                       follow->job_id));
}

static void tell_bytes(struct cx_follow *follow, int number, const char *data,
                       size_t size)
{
	struct cx_follow_stream *stream = &follow->stream[number - 1];
	bool is_text = !memchr(data, '\0', size) &&
	               cx_str_utf8_all(data, size, NULL);
	json_t *event = json_pack("{s:s, s:I, s:I}", "event", events[number],
	                          "index", (json_int_t)follow->index, "offset",
	                          (json_int_t)stream->offset);

	json_object_set_new(event, is_text ? "text" : "base64",
	                    is_text ? json_stringn_nocheck(data, size)
	                            : cx_opaque_base64(data, size));
	stream->offset += size;
	tell(follow, event);
}

/* The character of the last part, ended by what came; the bytes of data that
 * this took. */
static size_t end_part(struct cx_follow *follow, int number, const char *data,
                       size_t size)
{
	struct cx_follow_stream *stream = &follow->stream[number - 1];
	size_t taken = 0;

	while (stream->part_bytes > 0 && taken < size) {
		size_t cut;

		stream->part[stream->part_bytes++] = data[taken++];
		cut = cx_str_utf8_cut(stream->part, stream->part_bytes);
		if (cut == stream->part_bytes)
			continue;
		tell_bytes(follow, number, stream->part,
		           stream->part_bytes - cut);
		/* what didn't go on with it may begin the next */
		memmove(stream->part, stream->part + stream->part_bytes - cut,
		        cut);
		stream->part_bytes = cut;
	}
	return taken;
}

void cx_follow_output(struct cx_follow *follow, int number, const char *data,
                      size_t size)
{
	struct cx_follow_stream *stream = &follow->stream[number - 1];
	size_t at;

	cx_follow_started(follow);
	at = end_part(follow, number, data, size);
	while (at < size) {
		size_t step = size - at;
		size_t cut;

		if (step > CX_FOLLOW_BYTES_MAX)
			step = CX_FOLLOW_BYTES_MAX;
		cut = cx_str_utf8_cut(data + at, step);
		if (step > cut)
			tell_bytes(follow, number, data + at, step - cut);
		at += step - cut;
		if (at + cut < size)
			continue;
		memcpy(stream->part, data + at, cut);
		stream->part_bytes = cut;
		at += cut;
	}
}

void cx_follow_end(struct cx_follow *follow)
{
	for (int number = 1; number <= 2; number++) {
		struct cx_follow_stream *stream = &follow->stream[number - 1];

		if (stream->part_bytes > 0)
			tell_bytes(follow, number, stream->part,
			           stream->part_bytes);
		stream->part_bytes = 0;
	}
}
