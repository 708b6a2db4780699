/* rewrite.c - see rewrite.h. */
#include "model/rewrite.h"

#include <string.h>

#include "base/count.h"
#include "base/promise.h"
#include "model/upgrade.h"

enum { PORT_HTTP = 80 };

/* Bytes put so far; more than there is room for: it doesn't fit. */
struct page {
	char *at;
	size_t room;
	size_t size;
};

static void put(struct page *page, const char *text, size_t size)
{
	if (page->size <= page->room && size <= page->room - page->size)
		memcpy(page->at + page->size, text, size);
	page->size += size;
}

static void put_text(struct page *page, const char *text)
{
	put(page, text, strlen(text));
}

static void put_span(struct page *page, const char *data, struct cx_span span)
{
	put(page, data + span.at, span.size);
}

static void put_port(struct page *page, unsigned port)
{
	char digit[6];
	size_t n = sizeof digit;

	do
		digit[--n] = (char)('0' + port % 10);
	while ((port /= 10) > 0);
	put(page, ":", 1);
	put(page, digit + n, sizeof digit - n);
}

static void put_host(struct page *page, const struct cx_target *target)
{
	bool v6 = target->host.kind == CX_HOST_LITERAL && target->host.addr.v6;

	put_text(page, v6 ? "[" : "");
	put_text(page, target->host.name);
	put_text(page, v6 ? "]" : "");
	if (target->port != PORT_HTTP)
		put_port(page, target->port);
}

size_t cx_rewrite_host(const struct cx_target *target, char *ret, size_t room)
{
	struct page page = { ret, room, 0 };

	put_host(&page, target);
	return page.size <= room ? page.size : 0;
}

static bool is_one_of(const char *data, struct cx_span name,
                      const char *const *word, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cx_head_is(data, name, word[i]))
			return true;
	return false;
}

/* A field of Connection has this name in its list. */
static bool is_named(const struct cx_head *head, const char *data,
                     struct cx_span name)
{
	char word[64];

	if (name.size >= sizeof word)
		return false;
	memcpy(word, data + name.at, name.size);
	word[name.size] = '\0';
	for (size_t i = 0; i < head->fields; i++)
		if ((cx_head_is(data, head->field[i].name, "Connection") ||
		     cx_head_is(data, head->field[i].name,
		                "Proxy-Connection")) &&
		    cx_head_lists(data, head->field[i].value, word))
			return true;
	return false;
}

bool cx_rewrite_drops(const struct cx_head *head, const char *data,
                      const struct cx_field *field)
{
	static const char *const ours[] = {
		"Host", "Connection", "Proxy-Connection", "Keep-Alive", "TE",
		"Upgrade", "HTTP2-Settings", "Proxy-Authorization",
		"Proxy-Authenticate", "Proxy-Authentication-Info",
	};
	static const char *const framing[] = {
		"Content-Length", "Transfer-Encoding",
	};

	if (is_one_of(data, field->name, ours, CX_COUNT(ours)))
		return true;
	return !is_one_of(data, field->name, framing, CX_COUNT(framing)) &&
	       is_named(head, data, field->name);
}

/* OPTIONS of a whole server is asked with an asterisk (RFC 9112, 3.2.4). */
static void put_path(struct page *page, const struct cx_head *head,
                     const char *data)
{
	bool rooted = head->path.size > 0 && data[head->path.at] == '/';

	if (head->path.size == 0 && cx_head_is(data, head->method, "OPTIONS"))
		put_text(page, "*");
	else if (!rooted)
		put_text(page, "/");
	put_span(page, data, head->path);
}

static void put_fields(struct page *page, const struct cx_head *head,
                       const char *data)
{
	for (size_t i = 0; i < head->fields; i++) {
		const struct cx_field *field = &head->field[i];

		if (!CX_PROMISE(ours_stays,
		                !cx_rewrite_drops(head, data, field)))
			continue;
		put_span(page, data, field->name);
		put_text(page, ": ");
		put_span(page, data, field->value);
		put_text(page, "\r\n");
	}
}

static void put_upgrade(struct page *page)
{
	put_text(page, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
}

static void put_end(struct page *page, const struct cx_head *head, bool close)
{
	put_text(page, head->minor ? "Via: 1.1 cx-gateway\r\n"
	                           : "Via: 1.0 cx-gateway\r\n");
	put_text(page, close ? "Connection: close\r\n\r\n" : "\r\n");
}

/* An answer that HTTP/1.0 can't read is asked for by nobody: its version goes
 * on as it came. */
static void put_version(struct page *page, const struct cx_head *head)
{
	put_text(page, head->minor ? "HTTP/1.1" : "HTTP/1.0");
}

size_t cx_rewrite_head(const struct cx_head *head, const char *data,
                       const struct cx_target *target, bool close,
                       char *ret, size_t room)
{
	struct page page = { ret, room, 0 };

	put_span(&page, data, head->method);
	put_text(&page, " ");
	put_path(&page, head, data);
	put_text(&page, " ");
	put_version(&page, head);
	put_text(&page, "\r\nHost: ");
	put_host(&page, target);
	put_text(&page, "\r\n");
	put_fields(&page, head, data);
	if (cx_upgrade_asks(head, data))
		put_upgrade(&page);
	put_end(&page, head, close);
	return page.size <= room ? page.size : 0;
}

size_t cx_rewrite_reply(const struct cx_head *head, const char *data,
                        bool close, char *ret, size_t room)
{
	struct page page = { ret, room, 0 };

	put_text(&page, "HTTP/1.1 ");
	put_span(&page, data, head->path);
	put_text(&page, "\r\n");
	put_fields(&page, head, data);
	if (cx_upgrade_grants(head, data))
		put_upgrade(&page);
	put_end(&page, head, close);
	return page.size <= room ? page.size : 0;
}
