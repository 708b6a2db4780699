/* l0.c - see l0.h. */
#include "build/l0.h"

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/busybox.h"
#include "build/debian.h"
#include "build/listing.h"
#include "build/npm.h"
#include "build/oci.h"
#include "build/recipe.h"
#include "store/edition.h"
#include "store/lock.h"
#include "store/pack.h"

/* What is made on the way, to be published together. */
struct making {
	struct cx_draft draft;
	struct cx_blob layer, config, manifest;
	struct cx_packed packed;
	json_t *descriptor;
};

#define MAKING_NONE \
	((struct making){ CX_DRAFT_NONE, CX_BLOB_NONE, CX_BLOB_NONE, \
	                  CX_BLOB_NONE, { { { 0 } }, 0 }, NULL })

static void done(struct making *making)
{
	json_decref(making->descriptor);
	cx_blob_done(&making->manifest);
	cx_blob_done(&making->config);
	cx_blob_done(&making->layer);
	cx_draft_done(&making->draft);
}

static int pack(const struct cx_cas *cas, struct making *making,
                const struct cx_recipe *recipe,
                const struct cx_progress *progress, struct cx_err *err)
{
	char key[CX_DIGEST_TEXT];
	struct cx_oci_image image = {
		.layer = &making->layer, .epoch = recipe->epoch,
		.name = recipe->name, .recipe = key,
		.made_by = "cx-build l0",
	};

	cx_digest_text(&recipe->key, key);
	cx_progress_say(progress, "packing %zu files",
	                making->draft.list.count);
	if (cx_draft_settle(&making->draft, err) < 0 ||
	    cx_blob_start(cas, &making->layer, err) < 0 ||
	    cx_pack_write(making->draft.root_fd, &making->draft.list,
	                  &making->layer, &making->packed, err) < 0 ||
	    cx_blob_end(&making->layer, err) < 0)
		return -1;
	image.diff_id = making->packed.diff_id;
	return cx_oci_make(cas, &image, &making->config, &making->manifest,
	                   &making->descriptor, err);
}

static int publish(const struct cx_cas *cas, struct making *making,
                   const struct cx_recipe *recipe, struct cx_err *err)
{
	struct cx_edition *edition;
	int status;

	if (cx_interrupt_check(err) < 0)
		return -1;
	edition = cx_mem_new(sizeof *edition);
	edition->blob[0] = &making->layer;
	edition->blob[1] = &making->config;
	edition->blob[2] = &making->manifest;
	edition->blob_count = 3;
	edition->layer[0].diff_id = making->packed.diff_id;
	edition->layer[0].draft = &making->draft;
	edition->layer_count = 1;
	edition->descriptor = making->descriptor;
	edition->name = recipe->name;
	status = cx_edition_put(cas, edition, err);
	free(edition);
	return status;
}

static int fill(const struct cx_cas *cas, struct making *making,
                const struct cx_recipe *recipe,
                const struct cx_l0_order *order, struct cx_err *err)
{
	switch (recipe->from) {
	case CX_RECIPE_BUSYBOX:
		return cx_busybox_fill(&making->draft, recipe, err);
	case CX_RECIPE_DEBIAN:
		break;
	}
	if (cx_debian_fill(&making->draft, recipe, order->mirror,
	                   order->progress, err) < 0)
		return -1;
	if (!recipe->npm_version)
		return 0;
	return cx_npm_add(cas, recipe, order->registry, order->progress,
	                  &making->draft, err);
}

static int make(const struct cx_cas *cas, const struct cx_recipe *recipe,
                const struct cx_l0_order *order,
                char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	struct making making = MAKING_NONE;
	int status = -1;

	if (cx_draft_start(cas, recipe->epoch, &making.draft, err) == 0 &&
	    fill(cas, &making, recipe, order, err) == 0 &&
	    pack(cas, &making, recipe, order->progress, err) == 0 &&
	    publish(cas, &making, recipe, err) == 0) {
		cx_digest_text(&making.manifest.digest, ret_digest);
		status = 0;
	}
	done(&making);
	return status;
}

/* The image that was made of this recipe and is whole, if there is one. */
static bool find_made(const struct cx_cas *cas, const struct cx_recipe *recipe,
                      char ret_digest[CX_DIGEST_TEXT])
{
	CX_AUTO_JSON json_t *index = NULL;
	char key[CX_DIGEST_TEXT];
	struct cx_err unused;
	const json_t *list;

	if (cx_cas_index(cas, &index, &unused) < 0)
		return false;
	cx_digest_text(&recipe->key, key);
	list = json_object_get(index, "manifests");
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *entry = json_array_get(list, i);
		const json_t *notes = json_object_get(entry, "annotations");
		const char *own = cx_json_text(notes, CX_EDITION_RECIPE);
		const char *digest = cx_json_text(entry, "digest");
		struct cx_digest value;

		if (!own || !cx_str_same(own, key) || !digest ||
		    !cx_digest_parse(digest, &value) ||
		    !cx_edition_whole(cas, digest))
			continue;
		cx_digest_text(&value, ret_digest);
		return true;
	}
	return false;
}

static int describe(const struct cx_cas *cas, const char *digest, bool built,
                    json_t **ret_document, struct cx_err *err)
{
	CX_AUTO_JSON json_t *index = NULL;
	const json_t *entry;
	json_t *document;

	if (cx_cas_index(cas, &index, err) < 0)
		return -1;
	entry = cx_cas_find(index, digest);
	if (!entry)
		return cx_err_set(err, CX_E_IMAGE_MISSING,
		                  "the image was removed just after it was "
		                  "made");
	*ret_document = json_pack("{s:s, s:b}", "apiVersion", "cx/v1", "built",
	                          built);
	if (cx_listing_image(cas, entry, &document, err) < 0)
		return -1;
	json_object_update_new(*ret_document, document);
	return 0;
}

/* One process at a time makes what has this key. */
static int lock_key(const struct cx_state *state, const struct cx_digest *key,
                    int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int run_fd = -1;
	char text[CX_DIGEST_TEXT], name[32];

	if (cx_state_folder(state, CX_STATE_RUN, &run_fd, err) < 0)
		return -1;
	cx_digest_text(key, text);
	snprintf(name, sizeof name, "l0-%.16s.lock", text + 7);
	return cx_lock_take(run_fd, name, CX_LOCK_EXCLUSIVE, true, ret_fd, err);
}

static int from_recipe(const struct cx_state *state, const struct cx_cas *cas,
                       const struct cx_l0_order *order, json_t **ret_document,
                       struct cx_err *err)
{
	CX_AUTO_RECIPE struct cx_recipe recipe = { 0 };
	CX_AUTO_FD int flight = -1;
	char digest[CX_DIGEST_TEXT];
	bool built = true;

	if (cx_recipe_load(order->recipe, &recipe, err) < 0 ||
	    lock_key(state, &recipe.key, &flight, err) < 0)
		return -1;
	if (!order->refresh && find_made(cas, &recipe, digest)) {
		built = false;
		if (cx_edition_choose(cas, digest, err) < 0)
			return -1;
	} else if (make(cas, &recipe, order, digest, err) < 0) {
		return -1;
	}
	return describe(cas, digest, built, ret_document, err);
}

int cx_l0_make(const struct cx_state *state, const struct cx_l0_order *order,
               json_t **ret_document, struct cx_err *err)
{
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;

	if (cx_cas_open(state, &cas, err) < 0)
		return -1;
	return from_recipe(state, &cas, order, ret_document, err);
}
