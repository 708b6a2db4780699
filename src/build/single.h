/* single.h - an image of one layer: all that is made of it before it is
 * published, and its publishing. */
#ifndef CX_BUILD_SINGLE_H
#define CX_BUILD_SINGLE_H

#include "store/draft.h"
#include "store/pack.h"

struct cx_single {
	struct cx_draft draft;    /* settled */
	struct cx_blob layer;     /* ended */
	struct cx_packed packed;
	struct cx_blob config, manifest;
	json_t *descriptor;
};

#define CX_SINGLE_NONE \
	((struct cx_single){ CX_DRAFT_NONE, CX_BLOB_NONE, \
	                     { { { 0 } }, 0 }, CX_BLOB_NONE, CX_BLOB_NONE, \
	                     NULL })

struct cx_single_facts {
	const char *name;
	const char *recipe;   /* digest text, or NULL */
	const char *made_by;
	int64_t epoch;
};

/* Makes configuration and manifest and publishes all as the default base;
 * single->manifest.digest is the image's. */
int cx_single_publish(const struct cx_cas *cas, struct cx_single *single,
                      const struct cx_single_facts *facts, struct cx_err *err);

void cx_single_done(struct cx_single *single);
#define CX_AUTO_SINGLE __attribute__((cleanup(cx_single_done)))

#endif
