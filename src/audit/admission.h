/*
 * admission.h - whose records the holder of a carrier may read.
 *
 * The carrier is one of use read (cx-seal mint --use read). It is checked, not
 * spent: a counted one reads until its commands are used up elsewhere.
 */
#ifndef CX_AUDIT_ADMISSION_H
#define CX_AUDIT_ADMISSION_H

#include "data/json.h"
#include "model/session.h"

/*
 * Opens the carrier of doc, a run document, now: *ret_session is whom it was
 * minted for. The carrier's error classes, no_session when there is none, and
 * input_invalid when the document's own session names another. Keys that were
 * read are wiped before it returns.
 */
int cx_admission_open(const json_t *doc, struct cx_session *ret_session,
                      struct cx_err *err);

#endif
