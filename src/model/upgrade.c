/* upgrade.c - see upgrade.h. */
#include "model/upgrade.h"

#include <stddef.h>

enum { KEY_CHARS = 24, ACCEPT_CHARS = 28, SWITCHING = 101 };

/* The only field of that name; NULL: there is none, or more than one. */
static const struct cx_field *only(const struct cx_head *head,
                                   const char *data, const char *name)
{
	const struct cx_field *found = NULL;

	for (size_t i = 0; i < head->fields; i++) {
		if (!cx_head_is(data, head->field[i].name, name))
			continue;
		if (found)
			return NULL;
		found = &head->field[i];
	}
	return found;
}

static bool has(const struct cx_head *head, const char *data,
                const char *name, const char *value)
{
	const struct cx_field *field = only(head, data, name);

	return field && cx_head_is(data, field->value, value);
}

/* Base64 of that many characters, the last of which pad. */
static bool has_key(const struct cx_head *head, const char *data,
                    const char *name, size_t chars)
{
	const struct cx_field *field = only(head, data, name);

	return field && field->value.size == chars &&
	       data[field->value.at + chars - 1] == '=';
}

static bool becomes(const struct cx_head *head, const char *data)
{
	const struct cx_field *connection = only(head, data, "Connection");

	return head->minor == 1 && connection &&
	       cx_head_lists(data, connection->value, "upgrade") &&
	       has(head, data, "Upgrade", "websocket");
}

bool cx_upgrade_asks(const struct cx_head *head, const char *data)
{
	return cx_head_is(data, head->method, "GET") && head->keep &&
	       head->framing < 0 && !head->expects && becomes(head, data) &&
	       has(head, data, "Sec-WebSocket-Version", "13") &&
	       has_key(head, data, "Sec-WebSocket-Key", KEY_CHARS);
}

bool cx_upgrade_grants(const struct cx_head *head, const char *data)
{
	return head->status == SWITCHING && head->framing < 0 &&
	       becomes(head, data) &&
	       has_key(head, data, "Sec-WebSocket-Accept", ACCEPT_CHARS);
}
