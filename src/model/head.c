/* head.c - see head.h. */
#include "model/head.h"

#include <string.h>

#include "base/promise.h"
#include "base/str.h"
#include "model/headline.h"

bool cx_head_is(const char *data, struct cx_span span, const char *word)
{
	for (size_t i = 0; i < span.size; i++)
		if (word[i] == '\0' ||
		    cx_str_lower(data[span.at + i]) !=
		    cx_str_lower(word[i]))
			return false;
	return word[span.size] == '\0';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static struct cx_span trim(const char *data, size_t at, size_t end)
{
	while (at < end && is_space(data[at]))
		at++;
	while (at < end && is_space(data[end - 1]))
		end--;
	return (struct cx_span){ (uint16_t)at, (uint16_t)(end - at) };
}

bool cx_head_lists(const char *data, struct cx_span value, const char *word)
{
	size_t end = (size_t)value.at + value.size;
	size_t from = value.at;

	for (size_t at = from; at <= end; at++) {
		if (at < end && data[at] != ',')
			continue;
		if (cx_head_is(data, trim(data, from, at), word))
			return true;
		from = at + 1;
	}
	return false;
}

void cx_head_begin(struct cx_head *ret)
{
	/* not the fields: they are counted */
	memset(ret, 0, offsetof(struct cx_head, field));
	ret->credential = -1;
	ret->framing = -1;
}

void cx_head_begin_direct(struct cx_head *ret)
{
	cx_head_begin(ret);
	ret->direct = true;
}

void cx_head_begin_reply(struct cx_head *ret)
{
	cx_head_begin(ret);
	ret->reply = true;
}

static bool read_length(struct cx_head *head, const char *data,
                        struct cx_span value)
{
	uint64_t length = 0;

	if (value.size == 0 || value.size > 18)
		return cx_headline_refuse(head, 400, "ambiguous_framing");
	for (size_t i = 0; i < value.size; i++) {
		char c = data[value.at + i];

		if (c < '0' || c > '9')
			return cx_headline_refuse(head, 400,
			                          "ambiguous_framing");
		length = length * 10 + (uint64_t)(c - '0');
	}
	head->body = length > 0 ? CX_HEAD_LENGTH : CX_HEAD_EMPTY;
	head->length = length;
	return true;
}

/* One of them, once: a second could be believed by somebody else. */
static bool read_framing(struct cx_head *head, const char *data,
                         const struct cx_field *field, bool is_length)
{
	if (!CX_PROMISE(one_framing, head->framing < 0))
		return cx_headline_refuse(head, 400, "ambiguous_framing");
	head->framing = head->fields - 1;
	if (is_length)
		return read_length(head, data, field->value);
	if (head->minor == 0 || !cx_head_is(data, field->value, "chunked"))
		return cx_headline_refuse(head, 400, "ambiguous_framing");
	head->body = CX_HEAD_CHUNKED;
	return true;
}

static bool read_connection(struct cx_head *head, const char *data,
                            struct cx_span value)
{
	if (cx_head_lists(data, value, "close"))
		head->keep = false;
	else if (head->minor == 0 && cx_head_lists(data, value, "keep-alive"))
		head->keep = true;
	return true;
}

/* Another one of ours, or we ourselves, passed it on already. */
static bool read_via(struct cx_head *head, const char *data,
                     struct cx_span value)
{
	static const char ours[] = "cx-gateway";

	for (size_t i = 0; i + sizeof ours - 1 <= value.size; i++)
		if (cx_head_is(data, (struct cx_span){
		               (uint16_t)(value.at + i), sizeof ours - 1 },
		               ours))
			return cx_headline_refuse(head, 508, "loop_detected");
	return true;
}

static bool read_once(struct cx_head *head, bool *seen)
{
	if (*seen)
		return cx_headline_refuse(head, 400, "bad_header");
	*seen = true;
	return true;
}

/* What a field means for where the message ends. */
static bool weigh_framing(struct cx_head *head, const char *data,
                          const struct cx_field *field)
{
	if (cx_head_is(data, field->name, "Content-Length"))
		return read_framing(head, data, field, true);
	if (cx_head_is(data, field->name, "Transfer-Encoding"))
		return read_framing(head, data, field, false);
	if (cx_head_is(data, field->name, "Connection") ||
	    cx_head_is(data, field->name, "Proxy-Connection"))
		return read_connection(head, data, field->value);
	return true;
}

/* What a field of a request means to us; most mean nothing. */
static bool weigh(struct cx_head *head, const char *data,
                  const struct cx_field *field)
{
	bool known = head->credential >= 0;

	if (cx_head_is(data, field->name, "Host")) {
		head->host = field->value;
		return read_once(head, &head->has_host);
	}
	if (cx_head_is(data, field->name, "Via"))
		return read_via(head, data, field->value);
	if (cx_head_is(data, field->name, "Proxy-Authorization")) {
		head->credential = head->fields - 1;
		return read_once(head, &known);
	}
	if (!cx_head_is(data, field->name, "Expect"))
		return true;
	head->expects = cx_head_is(data, field->value, "100-continue");
	return head->expects ||
	       cx_headline_refuse(head, 417, "expectation_failed");
}

static bool read_field(struct cx_head *head, const char *data,
                       struct cx_span line)
{
	const char *text = data + line.at;
	const char *colon = memchr(text, ':', line.size);
	size_t name = colon ? (size_t)(colon - text) : 0;
	struct cx_field *field = &head->field[head->fields];

	if (head->fields == CX_HEAD_FIELDS_MAX)
		return cx_headline_refuse(head, 431, "header_too_large");
	if (!cx_headline_is_token(text, name))
		return cx_headline_refuse(head, 400, "bad_header");
	field->name = (struct cx_span){ line.at, (uint16_t)name };
	field->value = trim(data, line.at + name + 1,
	                    (size_t)line.at + line.size);
	head->fields++;
	return weigh_framing(head, data, field) &&
	       (head->reply || weigh(head, data, field));
}

static bool finish(struct cx_head *head, size_t size)
{
	if (!head->reply && head->form == CX_HEAD_AUTHORITY &&
	    head->body != CX_HEAD_EMPTY)
		return cx_headline_refuse(head, 400, "ambiguous_framing");
	/* RFC 9112, 3.2; of a tunnel the target says it all */
	if (!head->reply && head->form == CX_HEAD_ABSOLUTE &&
	    !head->has_host && (head->minor > 0 || head->authority.size == 0))
		return cx_headline_refuse(head, 400, "bad_header");
	if (head->direct && head->authority.size == 0)
		head->authority = head->host;
	head->size = (uint16_t)size;
	head->state = CX_HEAD_DONE;
	return true;
}

/* A whole line without its CRLF. One empty line may precede the head. */
static bool read_line(struct cx_head *head, const char *data,
                      struct cx_span line, size_t next)
{
	if (!head->has_line && line.size == 0)
		return line.at == 0 ||
		       cx_headline_refuse(head, 400, "bad_request_line");
	if (!head->has_line)
		return head->reply ? cx_headline_read_reply(head, data, line)
		                   : cx_headline_read(head, data, line);
	return line.size == 0 ? finish(head, next)
	                      : read_field(head, data, line);
}

/* A byte that may stand in the line that is being read. */
static bool is_fit(const struct cx_head *head, char c)
{
	unsigned char byte = (unsigned char)c;

	if (!head->has_line && !head->reply)
		return byte >= 0x20 && byte < 0x7f;
	return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

static bool is_too_long(struct cx_head *head, size_t at)
{
	size_t size = at - head->line_at;

	if (!head->has_line && size > CX_HEAD_LINE_MAX)
		return !cx_headline_refuse(head, 414, "uri_too_long");
	if (head->has_line && size > CX_HEAD_FIELD_MAX)
		return !cx_headline_refuse(head, 431, "header_too_large");
	return false;
}

/* The byte at at ends a line, is fit to stand in one, or ends it all. */
static bool take(struct cx_head *head, const char *data, size_t at)
{
	const char *reason = head->has_line ? "bad_header" : "bad_request_line";
	size_t from = head->line_at;
	bool returned = at > from && data[at - 1] == '\r';

	if (data[at] == '\n' && returned) {
		head->line_at = (uint16_t)(at + 1);
		return read_line(head, data, (struct cx_span){
		                 (uint16_t)from, (uint16_t)(at - 1 - from) },
		                 at + 1);
	}
	if (returned || (data[at] != '\r' && !is_fit(head, data[at])))
		return cx_headline_refuse(head, 400, reason);
	return !is_too_long(head, at);
}

enum cx_head_state cx_head_read(struct cx_head *head, const char *data,
                                size_t size)
{
	while (head->state == CX_HEAD_MORE && head->seen < size) {
		if (!take(head, data, head->seen))
			break;
		head->seen++;
		if (head->seen == CX_HEAD_MAX_BYTES &&
		    head->state == CX_HEAD_MORE)
			cx_headline_refuse(head, 431, "header_too_large");
	}
	return head->state;
}
