/* hostport.c - see hostport.h. */
#include "model/hostport.h"

#include <string.h>

bool cx_hostport_split(const char *text, size_t size, struct cx_hostport *ret)
{
	const char *bracket = memrchr(text, ']', size);
	const char *from = bracket ? bracket : text;
	const char *colon = memrchr(from, ':', size - (size_t)(from - text));
	size_t length = colon ? (size_t)(colon - text) : size;
	size_t skip = 0;

	*ret = (struct cx_hostport){ .host = text };
	if (colon) {
		ret->port = cx_host_port(colon + 1, size - length - 1);
		if (ret->port == 0)
			return false;
	}
	if (length > 2 && memcmp(text, "*.", 2) == 0)
		skip = 2;
	else if (length > 1 && text[0] == '.')
		skip = 1;
	ret->under = skip > 0;
	ret->host = text + skip;
	ret->size = length - skip;
	return true;
}

bool cx_hostport_read(const char *text, size_t size, struct cx_entry *ret)
{
	struct cx_hostport part;
	enum cx_host_kind kind;

	if (!cx_hostport_split(text, size, &part))
		return false;
	kind = cx_host_read(part.host, part.size, &ret->host);
	ret->port = part.port;
	return kind == CX_HOST_NAME ||
	       (kind == CX_HOST_LITERAL && !part.under);
}

bool cx_hostport_fits(const char *text)
{
	struct cx_entry entry;

	for (const char *at = text; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return true;
	return cx_hostport_read(text, strlen(text), &entry);
}

bool cx_hostport_is_name(const char *text)
{
	struct cx_host host;

	return cx_host_read(text, strlen(text), &host) == CX_HOST_NAME;
}
