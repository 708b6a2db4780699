/* guest.c - see guest.h. */
#include "run/guest.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "data/place.h"
#include "data/yaml.h"

void cx_guest_start(int in_fd, int out_fd, const char *name,
                    struct cx_guest *ret)
{
	*ret = (struct cx_guest){
		.in_fd = in_fd, .out_fd = out_fd, .name = name,
	};
	cx_feed_start(&ret->feed, in_fd);
}

static void free_ticket(struct cx_ticket *ticket)
{
	cx_buf_done(&ticket->line);
	free(ticket);
}

void cx_guest_done(struct cx_guest *guest)
{
	struct cx_ticket *next;

	for (struct cx_ticket *at = guest->first; at; at = next) {
		next = at->next;
		at->guest = NULL;
		if (at->done)
			free_ticket(at);
	}
	if (guest->out_fd == guest->in_fd)
		guest->out_fd = -1;
	cx_fd_close_at(&guest->in_fd);
	cx_fd_close_at(&guest->out_fd);
	cx_feed_done(&guest->feed);
	cx_buf_done(&guest->out);
}

static size_t left(const struct cx_guest *guest)
{
	return guest->out.size - guest->written;
}

static bool has_room(const struct cx_guest *guest)
{
	return guest->tickets < CX_GUEST_TICKETS_MAX &&
	       guest->held_bytes + left(guest) < CX_GUEST_BYTES_MAX;
}

/* A document over the cap is one, too: its line says so. */
static void look_for_text(struct cx_guest *guest)
{
	int got;

	if (guest->has_text || guest->output_errno)
		return;
	got = cx_feed_take(&guest->feed, &guest->text, &guest->size,
	                   &guest->text_err);
	if (got < 0)
		guest->text = NULL;
	guest->has_text = got != 0;
	if (got == 0 && guest->feed.ended)
		guest->input_over = true;
}

bool cx_guest_has_work(struct cx_guest *guest)
{
	look_for_text(guest);
	return guest->has_text && has_room(guest);
}

static struct cx_ticket *queue(struct cx_guest *guest)
{
	struct cx_ticket *ticket = cx_mem_new(sizeof *ticket);

	ticket->guest = guest;
	if (guest->last)
		guest->last->next = ticket;
	else
		guest->first = ticket;
	guest->last = ticket;
	guest->tickets++;
	return ticket;
}

static int parse(const struct cx_guest *guest, json_t **ret_doc,
                 struct cx_err *err)
{
	CX_AUTO_FREE char *name = cx_mem_print("%s, document %zu", guest->name,
	                                       guest->feed.count);
	CX_AUTO_JSON json_t *doc = NULL;
	size_t blank = strspn(guest->text, " \t\r\n");

	if (cx_yaml_parse_any(guest->text, guest->size, name, &doc, err) < 0)
		return -1;
	if (!json_is_object(doc))
		return cx_place_fail(err, name,
		                     cx_place_of(guest->text, guest->size,
		                                 blank),
		                     "", "the document must be an object");
	*ret_doc = CX_TAKE(doc);
	return 0;
}

struct cx_ticket *cx_guest_take(struct cx_guest *guest, json_t **ret_doc,
                                struct cx_err *err)
{
	*ret_doc = NULL;
	if (guest->text)
		parse(guest, ret_doc, err);
	else
		*err = guest->text_err;
	guest->has_text = false;
	return queue(guest);
}

static void unlink_ticket(struct cx_guest *guest, struct cx_ticket *ticket)
{
	struct cx_ticket *before = NULL;

	for (struct cx_ticket *at = guest->first; at != ticket; at = at->next)
		before = at;
	if (before)
		before->next = ticket->next;
	else
		guest->first = ticket->next;
	if (guest->last == ticket)
		guest->last = before;
	guest->tickets--;
}

static void put_out(struct cx_guest *guest, const char *line, size_t size)
{
	if (guest->output_errno)
		return;
	if (guest->written > 0 && guest->written >= left(guest)) {
		memmove(guest->out.data, guest->out.data + guest->written,
		        left(guest));
		guest->out.size -= guest->written;
		guest->written = 0;
	}
	cx_buf_add(&guest->out, line, size);
}

/* Those whose turn it is. */
static void advance(struct cx_guest *guest)
{
	while (guest->first && guest->first->done) {
		struct cx_ticket *ticket = guest->first;

		put_out(guest, ticket->line.data, ticket->line.size);
		guest->held_bytes -= ticket->line.size;
		unlink_ticket(guest, ticket);
		free_ticket(ticket);
	}
}

void cx_guest_answer(struct cx_ticket *ticket, const char *line, size_t size,
                     bool failed)
{
	struct cx_guest *guest = ticket->guest;

	if (!guest) {
		free_ticket(ticket);
		return;
	}
	guest->failed = guest->failed || failed;
	if (guest->unordered || guest->first == ticket) {
		put_out(guest, line, size);
		unlink_ticket(guest, ticket);
		free_ticket(ticket);
	} else {
		cx_buf_add(&ticket->line, line, size);
		guest->held_bytes += size;
		ticket->done = true;
	}
	advance(guest);
}

bool cx_guest_wants_input(const struct cx_guest *guest)
{
	return !guest->input_over && !guest->has_text && !guest->output_errno &&
	       !guest->feed.ended && has_room(guest);
}

bool cx_guest_wants_output(const struct cx_guest *guest)
{
	return left(guest) > 0;
}

void cx_guest_read(struct cx_guest *guest)
{
	if (cx_feed_fill(&guest->feed, &guest->input_err) < 0)
		guest->input_over = true;
	else
		guest->input_err.code = CX_E_NONE;
}

/* Poll says no more of a pipe than that PIPE_BUF bytes won't block. */
void cx_guest_write(struct cx_guest *guest)
{
	const char *from = guest->out.data + guest->written;
	size_t size = left(guest);
	ssize_t n = send(guest->out_fd, from, size,
	                 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK)
		n = write(guest->out_fd, from,
		          size < PIPE_BUF ? size : PIPE_BUF);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	guest->awaited_us = 0;
	if (n < 0) {
		guest->output_errno = errno;
		cx_buf_clear(&guest->out);
		guest->written = 0;
		return;
	}
	guest->written += (size_t)n;
	if (left(guest) > 0)
		return;
	cx_buf_clear(&guest->out);
	guest->written = 0;
}

bool cx_guest_is_over(const struct cx_guest *guest)
{
	return guest->output_errno ||
	       (guest->input_over && !guest->has_text && !guest->first &&
	        left(guest) == 0);
}

/* Waits for neither a worker nor a turn, and may send. */
static bool is_at_rest(const struct cx_guest *guest)
{
	return !guest->has_text && !guest->input_over && !guest->first;
}

/* It is the other side that is slow, to end a document or to take its
 * lines. */
static bool is_awaited(const struct cx_guest *guest)
{
	return left(guest) > 0 || (is_at_rest(guest) &&
	                           cx_feed_is_partial(&guest->feed));
}

static int64_t since(int64_t *from_us, bool still, int64_t now_us)
{
	if (!still)
		*from_us = 0;
	else if (*from_us == 0)
		*from_us = now_us;
	return still ? now_us - *from_us : -1;
}

int64_t cx_guest_waited_us(struct cx_guest *guest, int64_t now_us)
{
	return since(&guest->awaited_us, is_awaited(guest), now_us);
}

int64_t cx_guest_idled_us(struct cx_guest *guest, int64_t now_us)
{
	return since(&guest->idle_us, is_at_rest(guest) && !is_awaited(guest),
	             now_us);
}
