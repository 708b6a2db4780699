/*
 * question.c - see question.h. RFC 1035, RFC 6891 (OPT), RFC 8482 (ANY).
 */
#include "gateway/question.h"

#include <string.h>

#include "base/str.h"

enum {
	HEAD = 12,
	RESPONSE = 0x80, OPCODE = 0x78, AUTHORITATIVE = 0x04, TRUNCATED = 0x02,
	RECURSION_WANTED = 0x01,           /* of the third byte */
	RECURSION_OFFERED = 0x80,          /* of the fourth */
	NO_ERROR = 0, FORMAT_ERROR = 1, NO_SUCH_NAME = 3, NOT_DONE = 4,
	REFUSED = 5,
	TYPE_A = 1, TYPE_AAAA = 28, TYPE_OPT = 41, CLASS_IN = 1,
	LABEL_MAX = 63, HOST_MAX = 253,
	POINTER_TO_QUESTION = 0xc000 | HEAD,
	UDP_BYTES = 1232,                  /* what our OPT says we take */
};

struct question {
	char name[CX_ALIAS_NAME_BYTES];    /* lower case */
	size_t end;                        /* where it ends in the message */
	uint16_t type, class;
	bool extended;                     /* has an OPT record */
};

struct reply {
	uint8_t *bytes;
	size_t size;
};

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(struct reply *reply, unsigned value)
{
	reply->bytes[reply->size++] = (uint8_t)(value >> 8);
	reply->bytes[reply->size++] = (uint8_t)value;
}

/* Bytes that a host's name has; others would read as another name. */
static bool is_text(uint8_t byte)
{
	char c = (char)byte;

	return cx_str_is_letter(c) || cx_str_is_digit(c) || c == '-' ||
	       c == '_';
}

/* One label behind what is in name. false: ill formed. */
static bool add_label(struct question *ret, size_t *length,
                      const uint8_t *label, size_t size)
{
	if (*length + size + 1 > HOST_MAX)
		return false;
	if (*length)
		ret->name[(*length)++] = '.';
	for (size_t i = 0; i < size; i++)
		ret->name[(*length)++] = cx_str_lower((char)label[i]);
	return true;
}

/* The name at the head's end, uncompressed as in every question. Sets
 * *ret_plain where each byte is one of a host's name. */
static bool read_name(const uint8_t *query, size_t size,
                      struct question *ret, bool *ret_plain)
{
	size_t at = HEAD, length = 0;

	*ret_plain = true;
	while (at < size && query[at] != 0) {
		size_t label = query[at++];

		if (label > LABEL_MAX || label > size - at ||
		    !add_label(ret, &length, query + at, label))
			return false;
		for (size_t i = 0; i < label; i++)
			*ret_plain = *ret_plain && is_text(query[at + i]);
		at += label;
	}
	ret->name[length] = '\0';
	ret->end = at + 1;
	return at < size;
}

/* What may follow the question: nothing, or one OPT record. */
static bool read_rest(const uint8_t *query, size_t size, struct question *ret)
{
	const uint8_t *at = query + ret->end;
	size_t left = size - ret->end;

	ret->extended = get16(query + 10) == 1;
	if (!ret->extended)
		return left == 0;
	return left >= 11 && at[0] == 0 && get16(at + 1) == TYPE_OPT &&
	       at[6] == 0 && left == 11U + get16(at + 9);
}

static bool read_question(const uint8_t *query, size_t size,
                          struct question *ret, bool *ret_plain)
{
	if (get16(query + 4) != 1 || get16(query + 6) != 0 ||
	    get16(query + 8) != 0 || get16(query + 10) > 1 ||
	    !read_name(query, size, ret, ret_plain) || size - ret->end < 4)
		return false;
	ret->type = get16(query + ret->end);
	ret->class = get16(query + ret->end + 2);
	ret->end += 4;
	return read_rest(query, size, ret);
}

static void begin(struct reply *reply, const uint8_t *query, unsigned code,
                  const struct question *question)
{
	memcpy(reply->bytes, query, 2);
	reply->bytes[2] = (uint8_t)(RESPONSE | (query[2] &
	                  (OPCODE | RECURSION_WANTED)));
	reply->bytes[3] = (uint8_t)(RECURSION_OFFERED | code);
	reply->size = 4;
	put16(reply, question ? 1 : 0);
	put16(reply, 0);
	put16(reply, 0);
	put16(reply, question && question->extended ? 1 : 0);
	if (!question)
		return;
	memcpy(reply->bytes + HEAD, query + HEAD, question->end - HEAD);
	reply->size = question->end;
}

static void finish(struct reply *reply, const struct question *question)
{
	if (!question->extended)
		return;
	reply->bytes[reply->size++] = 0;
	put16(reply, TYPE_OPT);
	put16(reply, UDP_BYTES);
	put16(reply, 0);
	put16(reply, 0);
	put16(reply, 0);
}

static void add_address(struct reply *reply, uint16_t type,
                        const void *address, size_t size)
{
	reply->bytes[7] = 1; /* answers */
	put16(reply, POINTER_TO_QUESTION);
	put16(reply, type);
	put16(reply, CLASS_IN);
	put16(reply, 0);
	put16(reply, CX_QUESTION_TTL_S);
	put16(reply, (unsigned)size);
	memcpy(reply->bytes + reply->size, address, size);
	reply->size += size;
}

static void add_answer(struct cx_alias_book *book,
                       const struct question *question, struct reply *reply)
{
	struct in_addr ipv4;
	struct in6_addr ipv6;

	if (question->type != TYPE_A && question->type != TYPE_AAAA)
		return;
	cx_alias_give(book, question->name, &ipv4, &ipv6);
	if (question->type == TYPE_A)
		add_address(reply, TYPE_A, &ipv4, sizeof ipv4);
	else
		add_address(reply, TYPE_AAAA, &ipv6, sizeof ipv6);
}

size_t cx_question_answer(struct cx_alias_book *book, cx_question_admit *admit,
                          void *context, const uint8_t *query, size_t size,
                          uint8_t ret_reply[CX_QUESTION_REPLY_MAX_BYTES])
{
	struct question question = { .end = HEAD };
	struct reply reply = { .bytes = ret_reply };
	bool plain = false, there;

	if (size < HEAD || size > CX_QUESTION_MAX_BYTES ||
	    (query[2] & RESPONSE))
		return 0;
	if (query[2] & OPCODE) {
		begin(&reply, query, NOT_DONE, NULL);
		return reply.size;
	}
	if ((query[2] & TRUNCATED) ||
	    !read_question(query, size, &question, &plain)) {
		begin(&reply, query, FORMAT_ERROR, NULL);
		return reply.size;
	}
	if (question.class != CLASS_IN) {
		begin(&reply, query, REFUSED, &question);
		finish(&reply, &question);
		return reply.size;
	}
	there = plain && question.name[0] && admit(context, question.name);
	begin(&reply, query, there ? NO_ERROR : NO_SUCH_NAME, &question);
	if (there)
		add_answer(book, &question, &reply);
	finish(&reply, &question);
	return reply.size;
}
