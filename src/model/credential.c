/* credential.c - see credential.h. */
#include "model/credential.h"

#include <string.h>

#include "base/b64.h"

enum { CODED_MAX = 512 };

static bool take(const char *text, size_t size, char *ret_token)
{
	if (size >= CX_CREDENTIAL_TOKEN_BYTES || memchr(text, '\0', size))
		size = 0;
	memcpy(ret_token, text, size);
	ret_token[size] = '\0';
	return true;
}

static bool read_basic(const char *text, size_t size, char *ret_token)
{
	char plain[CX_B64_ROOM(CODED_MAX)];
	const char *colon;
	size_t length;

	if (size == 0 || size > CODED_MAX)
		return false;
	for (int i = 0; i < 2 && size > 0 && text[size - 1] == '='; i++)
		size--;
	if (!cx_b64_decode(CX_B64_PADDED, text, size, plain, &length))
		return false;
	colon = memchr(plain, ':', length);
	if (!colon)
		return length > 0 && take(plain, length, ret_token);
	if ((size_t)(colon + 1 - plain) < length)
		return take(colon + 1, length - (size_t)(colon + 1 - plain),
		            ret_token);
	return colon > plain &&
	       take(plain, (size_t)(colon - plain), ret_token);
}

bool cx_credential_read(const struct cx_head *head, const char *data,
                        char ret_token[CX_CREDENTIAL_TOKEN_BYTES])
{
	struct cx_span value;
	struct cx_span scheme;
	size_t at;

	ret_token[0] = '\0';
	if (head->credential < 0)
		return false;
	value = head->field[head->credential].value;
	scheme = value;
	for (at = 0; at < value.size && data[value.at + at] != ' '; at++)
		;
	scheme.size = (uint16_t)at;
	while (at < value.size && data[value.at + at] == ' ')
		at++;
	if (at == value.size)
		return false;
	if (cx_head_is(data, scheme, "Basic"))
		return read_basic(data + value.at + at, value.size - at,
		                  ret_token);
	return cx_head_is(data, scheme, "Bearer") &&
	       take(data + value.at + at, value.size - at, ret_token);
}
