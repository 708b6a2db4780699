/* headline.c - see headline.h. */
#include "model/headline.h"

#include <string.h>

#include "base/count.h"
#include "base/str.h"

bool cx_headline_refuse(struct cx_head *head, uint16_t status,
                        const char *reason)
{
	head->state = CX_HEAD_BAD;
	head->status = status;
	head->reason = reason;
	return false;
}

bool cx_headline_is_token(const char *text, size_t size)
{
	static const char other[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (cx_str_is_letter(c) || cx_str_is_digit(c))
			continue;
		if (c == '\0' || !strchr(other, c))
			return false;
	}
	return size > 0;
}

static struct cx_span span_of(size_t at, size_t size)
{
	return (struct cx_span){ (uint16_t)at, (uint16_t)size };
}

/* Methods are case-sensitive. TRACE would send the client's fields back. */
static bool is_known(const char *method, size_t size)
{
	static const char *const known[] = {
		"CONNECT", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH",
		"OPTIONS", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
		"LOCK", "UNLOCK", "REPORT", "SEARCH", "QUERY",
	};

	for (size_t i = 0; i < CX_COUNT(known); i++)
		if (strlen(known[i]) == size &&
		    memcmp(known[i], method, size) == 0)
			return true;
	return false;
}

static bool read_version(struct cx_head *head, const char *text, size_t size)
{
	static const char name[] = "HTTP/";
	const size_t begin = sizeof name - 1;

	if (size != begin + 3 || memcmp(text, name, begin) != 0 ||
	    text[begin] < '0' || text[begin] > '9' ||
	    text[begin + 1] != '.' || text[begin + 2] < '0' ||
	    text[begin + 2] > '9')
		return cx_headline_refuse(head, 400, "bad_request_line");
	if (text[begin] != '1' || text[begin + 2] > '1')
		return cx_headline_refuse(head, 505, "unsupported_version");
	head->minor = (uint8_t)(text[begin + 2] - '0');
	return true;
}

/* RFC 3986: a scheme, so that what follows isn't ours. */
static bool has_scheme(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (c == ':')
			return i > 0 && i + 2 < size && text[i + 1] == '/' &&
			       text[i + 2] == '/';
		if (!(cx_str_is_letter(c) ||
		      (i > 0 && (cx_str_is_digit(c) || c == '+' ||
		                 c == '-' || c == '.'))))
			return false;
	}
	return false;
}

/* http://AUTHORITY[/path][?query]; what follows a # is never sent. */
static bool read_absolute(struct cx_head *head, const char *data,
                          struct cx_span target)
{
	static const char scheme[] = "http://";
	const size_t begin = sizeof scheme - 1;
	const char *text = data + target.at;
	size_t end = begin;

	if (text[0] == '/' || (target.size == 1 && text[0] == '*'))
		return cx_headline_refuse(head, 400, "not_proxy_request");
	if (target.size < begin ||
	    !cx_head_is(data, span_of(target.at, begin), scheme))
		return cx_headline_refuse(head, 400,
		                          has_scheme(text, target.size) ?
		                          "unsupported_scheme" :
		                          "not_proxy_request");
	if (memchr(text, '#', target.size))
		return cx_headline_refuse(head, 400, "bad_request_line");
	while (end < target.size && text[end] != '/' && text[end] != '?')
		end++;
	head->form = CX_HEAD_ABSOLUTE;
	head->authority = span_of(target.at + begin, end - begin);
	head->path = span_of(target.at + end, target.size - end);
	return true;
}

/* What a client asks of the origin that it takes us for: a path, or * of
 * OPTIONS. */
static bool is_direct(const struct cx_head *head, const char *data,
                      struct cx_span target)
{
	if (!head->direct || target.size == 0)
		return false;
	return data[target.at] == '/'
	       ? memchr(data + target.at, '#', target.size) == NULL
	       : target.size == 1 && data[target.at] == '*' &&
	         cx_head_is(data, head->method, "OPTIONS");
}

static bool read_direct(struct cx_head *head, const char *data,
                        struct cx_span target)
{
	head->form = CX_HEAD_ABSOLUTE;
	head->path = data[target.at] == '*' ? span_of(target.at, 0) : target;
	return true;
}

static bool read_target(struct cx_head *head, const char *data,
                        struct cx_span target)
{
	if (is_direct(head, data, target))
		return read_direct(head, data, target);
	if (!cx_head_is(data, head->method, "CONNECT"))
		return read_absolute(head, data, target);
	if (head->direct)
		return cx_headline_refuse(head, 501, "unsupported_method");
	head->form = CX_HEAD_AUTHORITY;
	head->authority = target;
	return true;
}

bool cx_headline_read(struct cx_head *head, const char *data,
                      struct cx_span line)
{
	const char *text = data + line.at;
	const char *first = memchr(text, ' ', line.size);
	const char *last = memrchr(text, ' ', line.size);
	size_t method = first ? (size_t)(first - text) : 0;
	struct cx_span target;

	if (!first || first == last || first + 1 == last ||
	    !cx_headline_is_token(text, method) ||
	    memchr(first + 1, ' ', (size_t)(last - first) - 1))
		return cx_headline_refuse(head, 400, "bad_request_line");
	target = span_of(line.at + method + 1, (size_t)(last - first) - 1);
	head->method = span_of(line.at, method);
	head->has_line = true;
	if (!read_version(head, last + 1,
	                  line.size - (size_t)(last + 1 - text)))
		return false;
	if (!is_known(text, method))
		return cx_headline_refuse(head, 501, "unsupported_method");
	head->keep = head->minor > 0;
	return read_target(head, data, target);
}

/* HTTP/1.x SP three digits [SP reason phrase]. */
bool cx_headline_read_reply(struct cx_head *head, const char *data,
                            struct cx_span line)
{
	static const size_t version = 8;
	const char *text = data + line.at;

	if (line.size < version + 4 || text[version] != ' ' ||
	    (line.size > version + 4 && text[version + 4] != ' '))
		return cx_headline_refuse(head, 502, "bad_answer");
	if (!read_version(head, text, version))
		return false;
	head->status = 0;
	for (size_t i = version + 1; i < version + 4; i++) {
		if (text[i] < '0' || text[i] > '9')
			return cx_headline_refuse(head, 502, "bad_answer");
		head->status = (uint16_t)(head->status * 10 +
		                          (text[i] - '0'));
	}
	if (head->status < 100)
		return cx_headline_refuse(head, 502, "bad_answer");
	head->path = span_of((size_t)line.at + version + 1,
	                     line.size - version - 1);
	head->has_line = true;
	head->keep = head->minor > 0;
	return true;
}
