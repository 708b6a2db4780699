/* oci.h - an image's configuration and manifest (OCI image specification
 * 1.0.2), deterministic: canonical JSON, no time but the recipe's. */
#ifndef CX_BUILD_OCI_H
#define CX_BUILD_OCI_H

#include "store/blob.h"

#define CX_OCI_LAYER_ZSTD "application/vnd.oci.image.layer.v1.tar+zstd"

/* The machine's architecture in Go's words, as OCI wants it. */
const char *cx_oci_platform(void);

struct cx_oci_image {
	struct cx_digest diff_id;
	const struct cx_blob *layer; /* ended, zstd */
	int64_t epoch;
	const char *name;
	const char *recipe;          /* digest text of the recipe, or NULL */
	const char *made_by;         /* the history's created_by */
};

/* Makes both blobs and the index's descriptor (owned by the caller). */
int cx_oci_make(const struct cx_cas *cas, const struct cx_oci_image *image,
                struct cx_blob *ret_config, struct cx_blob *ret_manifest,
                json_t **ret_descriptor, struct cx_err *err);

/* The index's descriptor of a manifest: owned. */
json_t *cx_oci_descriptor(const char *media_type, const char *digest,
                          uint64_t size, const char *name,
                          const char *recipe);

#endif
