/*
 * cas.h - the content-addressed store: an OCI image layout at <state>/oci and
 * the unpacked layers at <state>/roots.
 *
 *   oci/oci-layout, oci/index.json, oci/blobs/sha256/<hex>
 *   oci/.lock            held while anything of this is changed
 *   roots/<diff_id hex>/ an unpacked layer
 *   roots/<hex>.image    an image's stamp (store/stamp.h), written last
 *   roots/<name>.ref     the digest that a name means; default.ref
 *   roots/.made-<n>/     the layer that all sandboxes share (box/made.h)
 *   roots/.tmp/          drafts: each leased by the process that makes it
 *
 * Everything is made in roots/.tmp and synced; publishing renames it into its
 * place under the lock, the stamp and the index after what they speak of. A
 * process killed at any instant leaves drafts, which the next one removes, or
 * blobs and roots that nothing names, which the next removal of an image or
 * the same publish takes up. Nothing partial can be opened.
 */
#ifndef CX_STORE_CAS_H
#define CX_STORE_CAS_H

#include "data/json.h"
#include "data/digest.h"
#include "store/state.h"

struct cx_cas {
	int oci_fd, blobs_fd, roots_fd, tmp_fd;
};

#define CX_CAS_NONE ((struct cx_cas){ -1, -1, -1, -1 })

/* Opens the store for writing, making what is missing, and removes what dead
 * processes left in roots/.tmp. Close with cx_cas_done. */
int cx_cas_open(const struct cx_state *state, struct cx_cas *ret,
                struct cx_err *err);

/* Opens it for looking only, making nothing: descriptors of what isn't there
 * are -1. */
int cx_cas_peek(const struct cx_state *state, struct cx_cas *ret,
                struct cx_err *err);

void cx_cas_done(struct cx_cas *cas);
#define CX_AUTO_CAS __attribute__((cleanup(cx_cas_done)))

/* The lock over every change; waits. The descriptor is the lease. */
int cx_cas_lock(const struct cx_cas *cas, int *ret_fd, struct cx_err *err);

/* The index document, an empty one where there is none yet; owned. */
int cx_cas_index(const struct cx_cas *cas, json_t **ret_index,
                 struct cx_err *err);

/* The entry of a manifest in an index (borrowed), NULL when absent. */
json_t *cx_cas_find(const json_t *index, const char *digest);

/* A whole blob, its digest checked (layer_corrupt). */
int cx_cas_load(const struct cx_cas *cas, const char *digest, size_t max,
                struct cx_buf *ret, struct cx_err *err);

/* A manifest or configuration blob as JSON; owned. */
int cx_cas_json(const struct cx_cas *cas, const char *digest,
                json_t **ret_value, struct cx_err *err);

#endif
