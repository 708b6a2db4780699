/*
 * answer.h - what goes back for a document: its line, its error.
 */
#ifndef CX_DATA_ANSWER_H
#define CX_DATA_ANSWER_H

#include "data/json.h"

/* {class, message, pointer?} of err, owned by the caller. */
json_t *cx_answer_error(const struct cx_err *err);

/* doc with apiVersion first, whether or not the input had it; owned. */
json_t *cx_answer_versioned(json_t *doc);

/* Appends doc as its line, with apiVersion first and the newline. */
void cx_answer_line(json_t *doc, struct cx_buf *ret);

/* The class of a document that came with an error; what isn't one of ours is
 * CX_E_INPUT_INVALID. */
enum cx_class cx_answer_class(const json_t *error);

#endif
