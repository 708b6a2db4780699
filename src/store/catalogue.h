/*
 * catalogue.h - the index document and the small files in roots/ that follow
 * from it. Everything here is called under the store's lock.
 */
#ifndef CX_STORE_CATALOGUE_H
#define CX_STORE_CATALOGUE_H

#include "store/cas.h"

/* Puts descriptor last, as the default, in place of an entry of its digest;
 * takes its name from whatever had it. */
void cx_catalogue_insert(json_t *index, json_t *descriptor);

/* Removes a digest's entry; the last one left becomes the default. */
void cx_catalogue_remove(json_t *index, const char *digest);

/* The default's digest (borrowed from index), NULL when there is none. */
const char *cx_catalogue_default(const json_t *index);

/* Replaces oci/index.json. */
int cx_catalogue_write(const struct cx_cas *cas, const json_t *index,
                       struct cx_err *err);

/* Writes default.ref and, unless NULL, <name>.ref. */
int cx_catalogue_point(const struct cx_cas *cas, const char *name,
                       const char *digest, struct cx_err *err);

/* Removes every *.ref that says this digest. */
int cx_catalogue_unpoint(const struct cx_cas *cas, const char *digest,
                         struct cx_err *err);

/* Sets, in the object keep, the hex name of each blob and each layer that the
 * image needs. */
int cx_catalogue_needs(const struct cx_cas *cas, const char *digest,
                       json_t *keep, struct cx_err *err);

/* Whether some image's stamp speaks of this layer, and it is as it says. */
bool cx_catalogue_layer_whole(const struct cx_cas *cas,
                              const struct cx_digest *diff_id);

/* Writes the stamps anew that speak of this layer. */
int cx_catalogue_restamp(const struct cx_cas *cas,
                         const struct cx_digest *diff_id, struct cx_err *err);

#endif
