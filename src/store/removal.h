/* removal.h - taking a published image out of the store. */
#ifndef CX_STORE_REMOVAL_H
#define CX_STORE_REMOVAL_H

#include "store/cas.h"

/*
 * Removes the image that ref (checked by the caller) names by digest or name:
 * its stamp first, under an exclusive lease (store_busy while a run holds it),
 * then the index entry and the references, then every layer and blob that no
 * image in the index needs. image_missing when there is none. A process killed
 * in between leaves what the next removal takes.
 */
int cx_removal_of(const struct cx_cas *cas, const char *ref,
                  char ret_digest[CX_DIGEST_TEXT], struct cx_err *err);

#endif
