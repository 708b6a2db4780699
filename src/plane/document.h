/*
 * document.h - the run document's outside: its closed set of top-level keys.
 *
 * A document is hostile input. What a tool doesn't own passes through
 * value-equal and in order; nothing in a document but the carrier's MAC is
 * believed.
 */
#ifndef CX_PLANE_DOCUMENT_H
#define CX_PLANE_DOCUMENT_H

#include "data/json.h"
#include "model/session.h"

/*
 * doc is an object whose keys are all of the contract's or begin with "x-",
 * and whose apiVersion, where there is one, is "cx/v1". Else
 * CX_E_INPUT_INVALID with the key's pointer.
 */
int cx_document_check(const json_t *doc, struct cx_err *err);

/*
 * A section that must be an object where it stands: *ret is borrowed, NULL
 * when absent. Another type is CX_E_INPUT_INVALID at "/name".
 */
int cx_document_section(const json_t *doc, const char *name, json_t **ret,
                        struct cx_err *err);

/*
 * The carrier's text, borrowed. Absent: CX_E_NO_SESSION. No string:
 * CX_E_CARRIER_MALFORMED. *ret_length is its length in bytes.
 */
int cx_document_carrier(const json_t *doc, const char **ret_text,
                        size_t *ret_length, struct cx_err *err);

/*
 * A session that stands beside a carrier is believed for nothing, but it must
 * name nobody else: a pipeline that mixed two callers up isn't carried on as
 * either. CX_E_INPUT_INVALID at the member that the carrier's session hasn't
 * so. No session is right.
 */
int cx_document_agree(const json_t *doc, const struct cx_session *session,
                      struct cx_err *err);

#endif
