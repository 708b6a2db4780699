/*
 * hello.c - see hello.h. RFC 8446 section 4.1.2, RFC 5246, RFC 6066.
 */
#include "gateway/hello.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

enum {
	RECORD_HEAD = 5, MESSAGE_HEAD = 4,
	TYPE_HANDSHAKE = 22, MAJOR = 3, MINOR_MAX = 4,
	CLIENT_HELLO = 1,
	RECORD_MAX = 16384,
	VERSION_AND_RANDOM = 34, SESSION_MAX = 32,
	EXTENSION_NAME = 0, NAME_TYPE_HOST = 0,
	HOST_MAX = 253,
};

/* What is left to read of a part; never reads past its end. */
struct part {
	const uint8_t *at;
	size_t left;
};

static bool take(struct part *part, size_t size, struct part *ret)
{
	if (size > part->left)
		return false;
	*ret = (struct part){ part->at, size };
	part->at += size;
	part->left -= size;
	return true;
}

static bool number(struct part *part, size_t bytes, size_t *ret)
{
	struct part digits;

	*ret = 0;
	if (!take(part, bytes, &digits))
		return false;
	for (size_t i = 0; i < bytes; i++)
		*ret = *ret << 8 | digits.at[i];
	return true;
}

/* A part whose length stands before it, in so many bytes. */
static bool vector(struct part *part, size_t bytes, struct part *ret)
{
	size_t size;

	return number(part, bytes, &size) && take(part, size, ret);
}

static bool copy_name(const struct part *name, struct cx_hello *ret)
{
	if (name->left == 0 || name->left > HOST_MAX)
		return false;
	for (size_t i = 0; i < name->left; i++) {
		uint8_t c = name->at[i];

		if (c <= ' ' || c >= 0x7f)
			return false;
		ret->name[i] = cx_str_lower((char)c);
	}
	ret->name[name->left] = '\0';
	return true;
}

/* One list with one name of the one kind that there is: two names, and which
 * of them a server takes nobody knows. */
static bool read_names(struct part extension, struct cx_hello *ret)
{
	struct part list, name;
	size_t kind;

	return vector(&extension, 2, &list) && extension.left == 0 &&
	       number(&list, 1, &kind) && kind == NAME_TYPE_HOST &&
	       vector(&list, 2, &name) && list.left == 0 &&
	       copy_name(&name, ret);
}

static bool read_extensions(struct part list, struct cx_hello *ret)
{
	while (list.left) {
		struct part extension;
		size_t type;

		if (!number(&list, 2, &type) || !vector(&list, 2, &extension))
			return false;
		if (type != EXTENSION_NAME)
			continue;
		if (ret->name[0] || !read_names(extension, ret))
			return false;
	}
	return true;
}

static bool read_body(struct part body, struct cx_hello *ret)
{
	struct part fixed, session, suites, methods, extensions;

	if (!take(&body, VERSION_AND_RANDOM, &fixed) ||
	    fixed.at[0] != MAJOR ||
	    !vector(&body, 1, &session) || session.left > SESSION_MAX ||
	    !vector(&body, 2, &suites) || suites.left < 2 ||
	    suites.left % 2 != 0 ||
	    !vector(&body, 1, &methods) || methods.left < 1)
		return false;
	if (body.left == 0)
		return true; /* TLS 1.2 without extensions */
	return vector(&body, 2, &extensions) && body.left == 0 &&
	       read_extensions(extensions, ret);
}

/* What came of the handshake's bytes, without the records' heads. */
struct gathered {
	uint8_t bytes[CX_HELLO_MAX_BYTES];
	size_t size;
};

static bool is_record(const uint8_t *head, size_t size)
{
	return head[0] == TYPE_HANDSHAKE && (size < 2 || head[1] == MAJOR) &&
	       (size < 3 || head[2] <= MINOR_MAX);
}

/* How large the message is with its own head; 0: not known yet. */
static size_t wanted(const struct gathered *gathered)
{
	if (gathered->size < MESSAGE_HEAD)
		return 0;
	return MESSAGE_HEAD + ((size_t)gathered->bytes[1] << 16 |
	                       (size_t)gathered->bytes[2] << 8 |
	                       gathered->bytes[3]);
}

static enum cx_hello_state judge(const struct gathered *gathered,
                                 struct cx_hello *ret)
{
	const struct part body = { gathered->bytes + MESSAGE_HEAD,
	                           gathered->size - MESSAGE_HEAD };

	if (!read_body(body, ret)) {
		ret->name[0] = '\0';
		return CX_HELLO_BAD;
	}
	return ret->name[0] ? CX_HELLO_NAMED : CX_HELLO_NAMELESS;
}

enum step { STEP_NEXT, STEP_WHOLE, STEP_MORE, STEP_BAD };

/* Whether the message is there once a record's bytes are, all or not. It ends
 * where a record ends: an answer must come before the next message. */
static enum step weigh(const struct gathered *gathered, bool all)
{
	size_t whole = wanted(gathered);

	if ((gathered->size && gathered->bytes[0] != CLIENT_HELLO) ||
	    whole > CX_HELLO_MAX_BYTES || (whole && gathered->size > whole))
		return STEP_BAD;
	if (whole && gathered->size == whole)
		return all ? STEP_WHOLE : STEP_BAD;
	return all ? STEP_NEXT : STEP_MORE;
}

/* Adds one record's bytes, as many as came. */
static enum step gather(struct part *rest, struct gathered *gathered)
{
	size_t length, here;

	if (rest->left && !is_record(rest->at, rest->left))
		return STEP_BAD;
	if (rest->left < RECORD_HEAD)
		return STEP_MORE;
	length = (size_t)rest->at[3] << 8 | rest->at[4];
	if (length == 0 || length > RECORD_MAX)
		return STEP_BAD;
	rest->at += RECORD_HEAD;
	rest->left -= RECORD_HEAD;
	here = length < rest->left ? length : rest->left;
	memcpy(gathered->bytes + gathered->size, rest->at, here);
	gathered->size += here;
	rest->at += here;
	rest->left -= here;
	return weigh(gathered, here == length);
}

enum cx_hello_state cx_hello_read(const uint8_t *data, size_t size,
                                  struct cx_hello *ret)
{
	struct gathered gathered;
	struct part rest = { data, size };

	ret->name[0] = '\0';
	gathered.size = 0;
	if (size == 0)
		return CX_HELLO_MORE;
	if (!is_record(data, size))
		return CX_HELLO_OTHER;
	if (size > CX_HELLO_MAX_BYTES)
		rest.left = CX_HELLO_MAX_BYTES;
	for (size_t records = 0; records < CX_HELLO_RECORDS_MAX; records++) {
		switch (gather(&rest, &gathered)) {
		case STEP_NEXT:
			continue;
		case STEP_WHOLE:
			return judge(&gathered, ret);
		case STEP_MORE:
			return size < CX_HELLO_MAX_BYTES ? CX_HELLO_MORE
			                                 : CX_HELLO_BAD;
		case STEP_BAD:
			return CX_HELLO_BAD;
		}
	}
	return CX_HELLO_BAD;
}
