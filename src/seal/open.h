/* open.h - a document's carrier becomes its session again. */
#ifndef CX_SEAL_OPEN_H
#define CX_SEAL_OPEN_H

#include "data/json.h"
#include "plane/carrier.h"
#include "seal/desk.h"

struct cx_open_task {
	struct cx_desk *desk;
	enum cx_carrier_use use;
};

/* "execute" (also NULL), "read"; else CX_E_USAGE. */
int cx_open_read(const char *use, enum cx_carrier_use *ret,
                 struct cx_err *err);

/*
 * Opens and spends the carrier. What the document asks for in layer, staged
 * and egress must be within the carrier's caveats, else CX_E_CAVEAT_REFUSED,
 * and nothing is spent. Takes carrier and carrierExpiresAt out and puts
 * session in, whatever stood there; a refused document keeps no session.
 */
int cx_open_document(struct cx_open_task *task, json_t *doc,
                     struct cx_err *err);

/* Opens a bare carrier, with one LF or CR LF behind it or none. *ret_doc is
 * owned by the caller. text is ended by a NUL that size doesn't count. */
int cx_open_bare(struct cx_open_task *task, const char *text, size_t size,
                 json_t **ret_doc, struct cx_err *err);

#endif
