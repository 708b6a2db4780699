/*
 * sketch.h - the verb spec: what exec would do with a document, shown.
 *
 * Nothing is run, and no carrier is needed: the profile (limits, environment,
 * folder), its digest, and the ordered steps of the sandbox.
 */
#ifndef CX_RUN_SKETCH_H
#define CX_RUN_SKETCH_H

#include "base/buf.h"
#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"
#include "run/order.h"

extern const struct cx_shape cx_sketch_shape;

/* {profile, profileDigest, imageDigest, layerDigests}. */
int cx_sketch_json(struct cx_broker *broker, const json_t *doc,
                   const struct cx_order_flags *flags, json_t **ret_doc,
                   struct cx_err *err);

/* config.json of an OCI runtime that would run the document's command. */
int cx_sketch_oci(struct cx_broker *broker, const json_t *doc,
                  const struct cx_order_flags *flags, json_t **ret_doc,
                  struct cx_err *err);

/* The steps, a line each; the plan is checked before. */
int cx_sketch_explain(struct cx_broker *broker, const json_t *doc,
                      const struct cx_order_flags *flags, struct cx_buf *ret,
                      struct cx_err *err);

#endif
