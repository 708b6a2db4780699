/*
 * head.c - a head reads the same in whatever pieces it comes; what is taken is
 * a head by a second, plainer reading; and what goes on to an origin is one
 * request whose target is its Host, without what was meant for us.
 */
#include <string.h>

#include "model/chunk.h"
#include "model/credential.h"
#include "model/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void demand_span(struct cx_span span, size_t size)
{
	demand((size_t)span.at + span.size <= size);
}

typedef void begin(struct cx_head *head);

/* In two pieces, and byte by byte: the same end. */
static void check_pieces(const struct cx_head *whole, begin *start,
                         const char *data, size_t size)
{
	struct cx_head head;

	start(&head);
	for (size_t n = 1; n <= size; n++)
		if (cx_head_read(&head, data, n) != CX_HEAD_MORE)
			break;
	demand(head.state == whole->state && head.size == whole->size);
	demand(head.status == whole->status && head.fields == whole->fields);
	start(&head);
	cx_head_read(&head, data, size / 2);
	cx_head_read(&head, data, size);
	demand(head.state == whole->state && head.size == whole->size);
}

static size_t count_fields(const struct cx_head *head, const char *data,
                           const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < head->fields; i++)
		count += cx_head_is(data, head->field[i].name, name);
	return count;
}

/* Line ends are CRLF and nothing else; one empty line, the last. */
static void check_lines(const char *data, size_t from, size_t size)
{
	size_t line = from;

	for (size_t i = from; i < size; i++) {
		demand(data[i] != '\0');
		demand((data[i] == '\n') == (i > from && data[i - 1] == '\r'));
		if (data[i] != '\n')
			continue;
		demand((i - line == 1) == (i + 1 == size));
		demand(data[line] != ' ' && data[line] != '\t');
		line = i + 1;
	}
	demand(line == size);
}

static void check_head(const struct cx_head *head, const char *data)
{
	size_t from = data[0] == '\r' ? 2 : 0;

	demand(head->size <= CX_HEAD_MAX_BYTES);
	check_lines(data, from, head->size);
	demand_span(head->method, head->size);
	demand_span(head->authority, head->size);
	demand_span(head->path, head->size);
	for (size_t i = 0; i < head->fields; i++) {
		demand_span(head->field[i].name, head->size);
		demand_span(head->field[i].value, head->size);
		demand(head->field[i].name.size > 0);
	}
	demand(head->reply || count_fields(head, data, "Host") <= 1);
	demand(head->reply ||
	       count_fields(head, data, "Proxy-Authorization") <= 1);
	demand(count_fields(head, data, "Content-Length") +
	       count_fields(head, data, "Transfer-Encoding") <= 1);
}

static bool begins_field(const char *line, const char *name)
{
	return strncasecmp(line, name, strlen(name)) == 0 &&
	       line[strlen(name)] == ':';
}

static void check_forward(const struct cx_head *head, const char *data)
{
	char text[CX_HEAD_MAX_BYTES + CX_REWRITE_MORE_BYTES + 1];
	const struct cx_policy policy = { .tier = CX_TIER_DEFAULT_INTERNET,
	                                  .terrain = &(struct cx_terrain){
		                                  NULL, 0, NULL, 0, NULL, 0 } };
	struct cx_judgement judgement;
	struct cx_target target;
	size_t hosts = 0;
	size_t size;

	cx_decide_target(&policy, data + head->authority.at,
	                 head->authority.size, 80, &target, &judgement);
	if (judgement.outcome == CX_OUTCOME_REJECT ||
	    head->form != CX_HEAD_ABSOLUTE)
		return;
	size = cx_rewrite_head(head, data, &target, !head->keep, text,
	                       sizeof text - 1);
	demand(size > 0);
	text[size] = '\0';
	check_lines(text, 0, size);
	for (const char *line = text; (line = strstr(line, "\r\n"));) {
		line += 2;
		hosts += begins_field(line, "Host");
		demand(!begins_field(line, "Proxy-Authorization"));
		demand(!begins_field(line, "Upgrade"));
	}
	demand(hosts == 1);
}

static void check_chunks(const char *data, size_t size)
{
	struct cx_chunk whole = { 0 }, cut = { 0 };
	size_t used = cx_chunk_read(&whole, data, size), at = 0;

	demand(used <= size);
	while (at < size && cut.state < CX_CHUNK_DONE)
		at += cx_chunk_read(&cut, data + at, 1);
	demand(cut.state == whole.state && at == used);
}

/* What goes back to the client is a reply again, of the same framing. */
static void check_reply(const struct cx_head *head, const char *data)
{
	char text[CX_HEAD_MAX_BYTES + CX_REWRITE_MORE_BYTES];
	size_t size = cx_rewrite_reply(head, data, !head->keep, text,
	                               sizeof text);
	struct cx_head again;

	demand(size > 0);
	check_lines(text, 0, size);
	cx_head_begin_reply(&again);
	cx_head_read(&again, text, size);
	if (size > CX_HEAD_MAX_BYTES || head->fields == CX_HEAD_FIELDS_MAX)
		return;
	demand(again.state == CX_HEAD_DONE && again.size == size);
	demand(again.body == head->body && again.length == head->length);
	demand(again.status == head->status);
}

static void check(begin *start, const char *text, size_t size)
{
	char token[CX_CREDENTIAL_TOKEN_BYTES];
	struct cx_head head;

	start(&head);
	cx_head_read(&head, text, size);
	if (size <= 4096)
		check_pieces(&head, start, text, size);
	if (head.state != CX_HEAD_DONE)
		return;
	check_head(&head, text);
	if (cx_credential_read(&head, text, token))
		demand(strlen(token) < sizeof token);
	if (head.reply)
		check_reply(&head, text);
	else
		check_forward(&head, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	if (size > CX_HEAD_MAX_BYTES * 2)
		return 0;
	check(cx_head_begin, text, size);
	check(cx_head_begin_direct, text, size);
	check(cx_head_begin_reply, text, size);
	check_chunks(text, size);
	return 0;
}
