/* feed.c - see feed.h. */
#include "data/feed.h"

#include <errno.h>

#include "data/yaml.h"

enum { STEP_BYTES = 65536 };

void cx_feed_start(struct cx_feed *feed, int fd)
{
	*feed = (struct cx_feed){ .fd = fd };
}

void cx_feed_done(struct cx_feed *feed)
{
	cx_buf_done(&feed->have);
}

static bool is_blank(const struct cx_feed *feed, const char *text, size_t size)
{
	if (feed->mode == CX_FEED_YAML)
		return cx_yaml_is_empty(text, size);
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

int cx_feed_fill(struct cx_feed *feed, struct cx_err *err)
{
	ssize_t n;

	if (feed->start > 0) {
		feed->have.size -= feed->start;
		memmove(feed->have.data, feed->have.data + feed->start,
		        feed->have.size);
		feed->scanned -= feed->start;
		feed->start = 0;
	}
	if (feed->before_read && feed->before_read(feed->context) < 0) {
		cx_err_sys(err, CX_E_IO_ERROR, "write standard output");
		err->code = CX_E_IO_ERROR; /* not our store's disk is full */
		return -1;
	}
	do
		n = read(feed->fd, cx_buf_room(&feed->have, STEP_BYTES),
		         STEP_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read the input");
	feed->ended = n == 0;
	feed->have.size += (size_t)n;
	/* a "---" at the very end is a whole line as well */
	if (feed->ended && feed->mode == CX_FEED_YAML)
		cx_buf_byte(&feed->have, '\n');
	return 0;
}

static void choose_mode(struct cx_feed *feed)
{
	for (size_t i = feed->start; i < feed->have.size; i++) {
		char c = feed->have.data[i];

		if (!strchr(" \t\r\n", c) || !c) {
			feed->mode = c == '{' || c == '['
			             ? CX_FEED_LINES : CX_FEED_YAML;
			return;
		}
	}
}

/* Bytes of the whole document at start; 0 when its end isn't in sight. */
static size_t whole(struct cx_feed *feed)
{
	const char *text = feed->have.data + feed->start;
	size_t size = feed->have.size - feed->start;
	const char *end;
	size_t length;

	if (feed->mode == CX_FEED_YAML) {
		length = cx_yaml_document_end(text, size);
		return length < size ? length : feed->ended ? size : 0;
	}
	end = memchr(feed->have.data + feed->scanned, '\n',
	             feed->have.size - feed->scanned);
	feed->scanned = feed->have.size;
	if (end)
		return (size_t)(end - text) + 1;
	return feed->ended ? size : 0;
}

static int too_large(struct cx_feed *feed, struct cx_err *err)
{
	feed->skipping = true;
	feed->start = feed->scanned = feed->have.size;
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "a document of the stream is over %d bytes",
	                  CX_JSON_DOCUMENT_MAX_BYTES);
}

/* No value can end so: the line goes on in the next. */
static bool is_open_ended(const char *text, size_t size)
{
	while (size > 0 && strchr(" \t\r\n", text[size - 1]) &&
	       text[size - 1])
		size--;
	return size > 0 && strchr("{[,", text[size - 1]) && text[size - 1];
}

/* 1: the line is a document by itself. 0: it is a later part of one that was
 * refused. -1: it is the first of one. */
static int check_line(struct cx_feed *feed, const char *text, size_t size,
                      struct cx_err *err)
{
	if (feed->mode != CX_FEED_LINES)
		return 1;
	feed->spread = feed->spread && *text != '{' && *text != '[';
	if (feed->spread || !is_open_ended(text, size))
		return !feed->spread;
	feed->spread = true;
	return cx_err_set(err, CX_E_INPUT_INVALID, "a document goes over "
	                  "several lines; put one document on each line, as "
	                  "jq -c does");
}

/* The document of length bytes at start is the caller's, unless it is blank
 * or the end of one that was refused: then 0. */
static int give(struct cx_feed *feed, size_t length, const char **ret_text,
                size_t *ret_size, struct cx_err *err)
{
	bool skip = feed->skipping;
	int alone;

	*ret_text = feed->have.data + feed->start;
	*ret_size = length;
	feed->start += length;
	feed->scanned = feed->start;
	feed->skipping = false;
	if (length > CX_JSON_DOCUMENT_MAX_BYTES && !skip)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "a document of the stream is over %d bytes",
		                  CX_JSON_DOCUMENT_MAX_BYTES);
	if (skip || is_blank(feed, *ret_text, length))
		return 0;
	alone = check_line(feed, *ret_text, length, err);
	feed->count += alone != 0;
	return alone;
}

int cx_feed_take(struct cx_feed *feed, const char **ret_text, size_t *ret_size,
                 struct cx_err *err)
{
	for (;;) {
		size_t size = feed->have.size - feed->start;
		size_t length = 0;
		int got;

		if (feed->mode == CX_FEED_UNKNOWN)
			choose_mode(feed);
		if (size > 0 && feed->mode != CX_FEED_UNKNOWN)
			length = whole(feed);
		if (length == 0)
			break;
		got = give(feed, length, ret_text, ret_size, err);
		if (got != 0)
			return got;
	}
	if (feed->skipping)
		feed->start = feed->scanned = feed->have.size;
	else if (feed->have.size - feed->start > CX_JSON_DOCUMENT_MAX_BYTES)
		return too_large(feed, err);
	return 0;
}

bool cx_feed_is_partial(const struct cx_feed *feed)
{
	return feed->have.size > feed->start || feed->skipping;
}

int cx_feed_next(struct cx_feed *feed, const char **ret_text, size_t *ret_size,
                 struct cx_err *err)
{
	for (;;) {
		int got = cx_feed_take(feed, ret_text, ret_size, err);

		if (got != 0 || feed->ended)
			return got;
		if (cx_feed_fill(feed, err) < 0)
			return -1;
	}
}
