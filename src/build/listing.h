/* listing.h - published images as people and scripts see them; removing. */
#ifndef CX_BUILD_LISTING_H
#define CX_BUILD_LISTING_H

#include "data/shape.h"
#include "store/cas.h"

extern const struct cx_shape cx_listing_shape;         /* of cx-build list */
extern const struct cx_shape cx_listing_removed_shape; /* cx-build rm */

/* One image of the index, described; owned. */
int cx_listing_image(const struct cx_cas *cas, const json_t *entry,
                     json_t **ret_image, struct cx_err *err);

/* {apiVersion, images: [...]}, the one chosen last first; owned. A state that
 * holds nothing gives an empty list. */
int cx_listing_all(const struct cx_state *state, json_t **ret_document,
                   struct cx_err *err);

/* Removes an image by digest or name. unsafe_image_ref, image_missing,
 * store_busy while a run uses it. *ret_document says what went; owned. */
int cx_listing_remove(const struct cx_state *state, const char *ref,
                      json_t **ret_document, struct cx_err *err);

#endif
