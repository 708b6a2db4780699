/* revoke.h - carriers that must open nothing from now on. */
#ifndef CX_SEAL_REVOKE_H
#define CX_SEAL_REVOKE_H

#include "data/json.h"
#include "seal/desk.h"

/* Revokes each jti. *ret_doc is {"revoked": [jti...]}, the caller's. */
int cx_revoke_ids(struct cx_desk *desk, char *const *jti, size_t count,
                  json_t **ret_doc, struct cx_err *err);

/* Revokes the carrier of a document, of whatever use, and takes it out. A
 * carrier that doesn't open any more needs no revoking and is refused. */
int cx_revoke_document(struct cx_desk *desk, json_t *doc, struct cx_err *err);

#endif
