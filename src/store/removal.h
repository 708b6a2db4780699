/* removal.h - taking a published image out of the store. */
#ifndef CX_STORE_REMOVAL_H
#define CX_STORE_REMOVAL_H

#include "store/cas.h"

/*
 * Removes the image that ref (checked by the caller) names by digest or name:
 * its index entry and references while an exclusive lease holds off runs
 * (store_busy while one has it), then what nothing needs any more.
 * image_missing when there is none. Whoever looks at any instant sees whole
 * images; what a killed process leaves the next sweep takes.
 */
int cx_removal_of(const struct cx_cas *cas, const char *ref,
                  char ret_digest[CX_DIGEST_TEXT], struct cx_err *err);

/* Removes stamps, layers and blobs that no image of the index needs and no
 * command uses. Under the store's lock. */
int cx_removal_sweep(const struct cx_cas *cas, const json_t *index,
                     struct cx_err *err);

#endif
