/*
 * edition.h - published images: putting one in, listing, taking one out.
 *
 * The index keeps images in the order in which they were last chosen; the
 * default L0 is the last one, and default.ref says so for the run path.
 */
#ifndef CX_STORE_EDITION_H
#define CX_STORE_EDITION_H

#include "store/blob.h"
#include "store/draft.h"
#include "store/image.h"

#define CX_EDITION_NAME "org.opencontainers.image.ref.name"
#define CX_EDITION_RECIPE "dev.cx.recipe"   /* "sha256:..." of how it's made */
#define CX_EDITION_DEFAULT "dev.cx.default" /* "true" at one image at most */

struct cx_edition_layer {
	struct cx_digest diff_id;
	struct cx_draft *draft;   /* settled; borrowed */
};

/* What is to be published: everything is made, synced and leased. */
struct cx_edition {
	struct cx_blob *blob[CX_IMAGE_LAYERS_MAX + 2]; /* borrowed, ended */
	size_t blob_count;
	struct cx_edition_layer layer[CX_IMAGE_LAYERS_MAX]; /* lowest first */
	size_t layer_count;
	json_t *descriptor; /* of the manifest, with platform and annotations;
	                       borrowed */
	const char *name;   /* as cx_path_name, or NULL */
};

/*
 * Publishes it as the default L0: blobs, roots, stamp, index, references, in
 * this order and under the lock. An image of the same digest that is whole
 * stays as it is; one whose layers were changed gets them anew.
 */
int cx_edition_put(const struct cx_cas *cas, const struct cx_edition *edition,
                   struct cx_err *err);

/* Makes a published image the default L0. image_missing when absent. */
int cx_edition_choose(const struct cx_cas *cas, const char *digest,
                      struct cx_err *err);

/* Whether the image can be opened: its stamp is there and its roots are as it
 * says. */
bool cx_edition_whole(const struct cx_cas *cas, const char *digest);

/* A name that an image may have beside its digest: a-z 0-9 . _ -, at most 64
 * bytes, beginning with a letter or digit, not "default". */
bool cx_edition_name(const char *name);

#endif
