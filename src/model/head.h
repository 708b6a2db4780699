/*
 * head.h - the head of an HTTP/1.1 request to a proxy, read strictly
 * (RFC 9110, 9112), as its bytes come.
 *
 * What two parsers might read in two ways is refused: bare LF, folded fields,
 * a space before a colon, two lengths, a length beside chunks, two Hosts, two
 * credentials, control characters. Nothing is copied: the head tells places
 * in the caller's bytes.
 */
#ifndef CX_MODEL_HEAD_H
#define CX_MODEL_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CX_HEAD_MAX_BYTES = 32768,
	CX_HEAD_LINE_MAX = 8192,  /* of the request line: else 414 */
	CX_HEAD_FIELD_MAX = 8192, /* of a field: else 431 */
	CX_HEAD_FIELDS_MAX = 100, /* else 431 */
};

enum cx_head_state {
	CX_HEAD_MORE, /* as far as it goes it is one: read on */
	CX_HEAD_DONE,
	CX_HEAD_BAD,  /* status and reason say why; the connection is to end */
};

enum cx_head_form {
	CX_HEAD_AUTHORITY, /* CONNECT host:port */
	CX_HEAD_ABSOLUTE,  /* GET http://host/path */
};

enum cx_head_body { CX_HEAD_EMPTY, CX_HEAD_LENGTH, CX_HEAD_CHUNKED };

struct cx_span {
	uint16_t at;
	uint16_t size;
};

struct cx_field {
	struct cx_span name;
	struct cx_span value; /* without white space around it */
};

struct cx_head {
	enum cx_head_state state;
	uint16_t status;      /* where BAD; of a reply its own, where DONE */
	const char *reason;   /* where BAD: a word for log and decide */
	uint16_t size;        /* where DONE: its bytes, the empty line's too */
	uint16_t line_at;     /* how far it was read */
	uint16_t seen;
	bool has_line;
	uint8_t minor;        /* HTTP/1.minor */
	enum cx_head_form form;
	struct cx_span method;
	struct cx_span authority; /* host and port as they stand */
	struct cx_span path;      /* and query; may be empty, or begin with ? */
	enum cx_head_body body;
	uint64_t length;
	bool keep;            /* the connection may serve another request */
	bool expects;         /* 100-continue */
	bool has_host;
	bool direct;          /* cx_head_begin_direct */
	bool reply;           /* cx_head_begin_reply: status is its own then */
	struct cx_span host;  /* Host's value */
	int credential;       /* the field with it, -1: none */
	int framing;          /* Content-Length or Transfer-Encoding, -1 */
	uint8_t fields;
	struct cx_field field[CX_HEAD_FIELDS_MAX];
};

void cx_head_begin(struct cx_head *ret);

/* Of a client that takes us for the origin (transparent mode): the target may
 * be a path alone, and Host is then the authority. Nothing is CONNECTed. */
void cx_head_begin_direct(struct cx_head *ret);

/* Of an origin's answer (RFC 9112, 4). */
void cx_head_begin_reply(struct cx_head *ret);

/* data[size] is all that came since the head began. */
enum cx_head_state cx_head_read(struct cx_head *head, const char *data,
                                size_t size);

/* A span of data is this word, whatever the case of its letters. */
bool cx_head_is(const char *data, struct cx_span span, const char *word);

/* word is a member of the list value of a field (RFC 9110, 5.6.1). */
bool cx_head_lists(const char *data, struct cx_span value, const char *word);

#endif
