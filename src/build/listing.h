/* listing.h - published images as people and scripts see them; removing. */
#ifndef CX_BUILD_LISTING_H
#define CX_BUILD_LISTING_H

#include "data/shape.h"
#include "store/cas.h"

extern const struct cx_shape cx_listing_shape;         /* of cx-build list */
extern const struct cx_shape cx_listing_removed_shape; /* cx-build rm */

/* One image of the index, described; owned. shared: the store isn't ours. */
int cx_listing_image(const struct cx_cas *cas, const json_t *entry,
                     bool shared, json_t **ret_image, struct cx_err *err);

/* {apiVersion, images: [...]}: those of the state's store, the one chosen last
 * first, then those of the shared store; owned. Where there is no store, an
 * empty list; nothing is made. */
int cx_listing_all(json_t **ret_document, struct cx_err *err);

/* Removes an image of the state's own store by digest or name.
 * unsafe_image_ref, image_missing, store_busy while a run uses it.
 * *ret_document says what went; owned. */
int cx_listing_remove(const char *ref, json_t **ret_document,
                      struct cx_err *err);

#endif
