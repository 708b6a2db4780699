/*
 * guest.h - one stream of documents, and the lines that go back.
 *
 * Standard input and output of cx-run batch, or a connection of cx-run serve.
 * Nothing here waits: the hub polls and calls. What a guest may have on its
 * way is bounded by number and by bytes, whatever it sends and however slowly
 * it reads.
 */
#ifndef CX_RUN_GUEST_H
#define CX_RUN_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "data/feed.h"
#include "data/json.h"

enum {
	CX_GUEST_TICKETS_MAX = 256,             /* documents on their way */
	CX_GUEST_BYTES_MAX = 64 * 1024 * 1024,  /* of lines that wait */
};

struct cx_guest;

/* One document on its way to its line. */
struct cx_ticket {
	struct cx_ticket *next;  /* in input order */
	struct cx_guest *guest;  /* NULL: nobody waits for it any more */
	bool done;
	struct cx_buf line;      /* once it is done, in input order */
};

struct cx_guest {
	int in_fd, out_fd;       /* owned; out_fd may be the same as in_fd */
	struct cx_feed feed;
	const char *name;        /* of the input, for messages */
	bool unordered;
	bool input_over;         /* no more is read */
	bool failed;             /* a document was refused or failed */
	bool has_text;           /* a whole document is at hand */
	const char *text;
	size_t size;
	struct cx_err text_err;  /* text NULL: why there is none */
	struct cx_err input_err; /* that ended the input; CX_E_NONE */
	int output_errno;        /* that ended the output; 0 */
	struct cx_ticket *first; /* that have no line in out yet */
	struct cx_ticket *last;
	size_t tickets;
	size_t held_bytes;       /* of lines that wait for their turn */
	struct cx_buf out;
	size_t written;          /* of out */
	int64_t awaited_us;      /* since when it is slow; 0: it isn't */
	int64_t idle_us;         /* since when it is; 0: it isn't */
};

/* Takes in_fd and out_fd over. */
void cx_guest_start(int in_fd, int out_fd, const char *name,
                    struct cx_guest *ret);
void cx_guest_done(struct cx_guest *guest); /* lets its tickets go */

/* Is there a document that may be begun now? */
bool cx_guest_has_work(struct cx_guest *guest);

/* Takes it: the document, or NULL and why not; its ticket either way. */
struct cx_ticket *cx_guest_take(struct cx_guest *guest, json_t **ret_doc,
                                struct cx_err *err);

/* The line of ticket, which is done with by that; failed says how it went. */
void cx_guest_answer(struct cx_ticket *ticket, const char *line, size_t size,
                     bool failed);

/* What to poll for. */
bool cx_guest_wants_input(const struct cx_guest *guest);
bool cx_guest_wants_output(const struct cx_guest *guest);

/* After poll said that it won't block. */
void cx_guest_read(struct cx_guest *guest);
void cx_guest_write(struct cx_guest *guest);

/* Nothing comes in any more and every line is out, or its reader is gone. */
bool cx_guest_is_over(const struct cx_guest *guest);

/* For how long a document that has begun doesn't end, or nothing is taken of
 * the lines that are ready; -1 when it isn't the other side that is slow. */
int64_t cx_guest_waited_us(struct cx_guest *guest, int64_t now_us);

/* For how long nothing of it was on its way in or out; -1 when there is. */
int64_t cx_guest_idled_us(struct cx_guest *guest, int64_t now_us);

#endif
