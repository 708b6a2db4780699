/*
 * row.h - an audit event as its durable line: canonical JSON (RFC 8785).
 *
 * The line is composed directly, with no JSON library, since it stands on the
 * path of every command. A line is read back by composing it again and
 * comparing, so one event has one spelling.
 */
#ifndef CX_MODEL_ROW_H
#define CX_MODEL_ROW_H

#include <stddef.h>

#include "base/buf.h"
#include "model/event.h"

enum { CX_ROW_MAX = 16384 }; /* bytes, with every byte of a text escaped */

/* Appends the line of an event that checks, without a newline. */
void cx_row_write(const struct cx_event *event, struct cx_buf *ret);

/* size bytes are exactly the line of an event that checks. Fills *ret, whose
 * texts then point into *ret_text; false when they aren't. */
bool cx_row_read(const char *line, size_t size, struct cx_event *ret,
                 struct cx_buf *ret_text);

#endif
