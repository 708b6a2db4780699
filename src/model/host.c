/* host.c - see host.h. */
#include "model/host.h"

#include <string.h>

#include "base/count.h"
#include "base/str.h"
#include "model/punycode.h"

static bool is_of_label(char c)
{
	return (c >= 'a' && c <= 'z') || cx_str_is_digit(c) || c == '-' ||
	       c == '_';
}

static bool is_label(const char *label, size_t size)
{
	static const char ace[] = "xn--";
	const size_t prefix = sizeof ace - 1;

	if (size == 0 || size > CX_HOST_LABEL_MAX || label[0] == '-' ||
	    label[size - 1] == '-')
		return false;
	for (size_t i = 0; i < size; i++)
		if (!is_of_label(label[i]))
			return false;
	return size < prefix || memcmp(label, ace, prefix) != 0 ||
	       cx_punycode_is_valid(label + prefix, size - prefix);
}

/* Digits, or 0x and hexadecimal digits or none: inet_aton's numbers. */
static bool is_number(const char *label, size_t size)
{
	size_t at = 0;
	bool hex = size >= 2 && label[0] == '0' && label[1] == 'x';

	if (hex)
		at = 2;
	for (; at < size; at++)
		if (!cx_str_is_digit(label[at]) &&
		    !(hex && label[at] >= 'a' && label[at] <= 'f'))
			return false;
	return size > 0;
}

static bool has_labels(const char *name, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && name[i] != '.')
			continue;
		if (!is_label(name + from, i - from))
			return false;
		from = i + 1;
	}
	return true;
}

static enum cx_host_kind read_name(size_t size, bool dotted,
                                   struct cx_host *ret)
{
	const char *dot = memrchr(ret->name, '.', size);
	const char *last = dot ? dot + 1 : ret->name;

	ret->name[size] = '\0';
	if (!has_labels(ret->name, size))
		return CX_HOST_BAD;
	if (!is_number(last, size - (size_t)(last - ret->name)))
		return CX_HOST_NAME;
	if (!dotted && cx_addr_read_v4(ret->name, size, &ret->addr))
		return CX_HOST_LITERAL;
	return CX_HOST_AMBIGUOUS;
}

static enum cx_host_kind read_brackets(const char *text, size_t size,
                                       struct cx_host *ret)
{
	char canonical[CX_ADDR_TEXT_BYTES];

	if (size < 4 || text[size - 1] != ']' ||
	    !cx_addr_read_v6(text + 1, size - 2, &ret->addr))
		return CX_HOST_BAD;
	cx_addr_write(&ret->addr, canonical);
	memcpy(ret->name, canonical, sizeof canonical);
	return CX_HOST_LITERAL;
}

enum cx_host_kind cx_host_read(const char *text, size_t size,
                               struct cx_host *ret)
{
	bool dotted = size > 1 && text[size - 1] == '.';

	*ret = (struct cx_host){ .kind = CX_HOST_BAD };
	if (size > 0 && text[0] == '[') {
		ret->kind = read_brackets(text, size, ret);
		return ret->kind;
	}
	size -= dotted;
	if (size == 0 || size >= CX_HOST_NAME_BYTES)
		return CX_HOST_BAD;
	for (size_t i = 0; i < size; i++)
		ret->name[i] = cx_str_lower(text[i]);
	ret->kind = read_name(size, dotted, ret);
	return ret->kind;
}

bool cx_host_is_local(const char *name)
{
	static const char *const special[] = {
		"localhost", "local", "localdomain", "onion", "test",
		"invalid", "internal", "alt", "home.arpa",
	};
	size_t size = strlen(name);

	if (!strchr(name, '.'))
		return true;
	for (size_t i = 0; i < CX_COUNT(special); i++) {
		size_t length = strlen(special[i]);

		if (size >= length &&
		    strcmp(name + size - length, special[i]) == 0 &&
		    (size == length || name[size - length - 1] == '.'))
			return true;
	}
	return false;
}

uint16_t cx_host_port(const char *text, size_t size)
{
	unsigned port = 0;

	if (size == 0 || size > 5 || text[0] == '0')
		return 0;
	for (size_t i = 0; i < size; i++) {
		if (!cx_str_is_digit(text[i]))
			return 0;
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	return port > UINT16_MAX ? 0 : (uint16_t)port;
}
