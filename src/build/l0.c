/* l0.c - see l0.h. */
#include "build/l0.h"

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/busybox.h"
#include "build/debian.h"
#include "build/import.h"
#include "build/listing.h"
#include "build/npm.h"
#include "build/recipe.h"
#include "build/single.h"
#include "store/edition.h"
#include "store/lock.h"
#include "store/state.h"

#define DEFAULT_RECIPE "debian-13"

static int pack(const struct cx_cas *cas, struct cx_single *single,
                const struct cx_progress *progress, struct cx_err *err)
{
	cx_progress_say(progress, "packing %zu files",
	                single->draft.list.count);
	if (cx_draft_settle(&single->draft, err) < 0 ||
	    cx_blob_start(cas, &single->layer, err) < 0 ||
	    cx_pack_write(single->draft.root_fd, &single->draft.list,
	                  &single->layer, &single->packed, err) < 0)
		return -1;
	return cx_blob_end(&single->layer, err);
}

static int fill(const struct cx_cas *cas, struct cx_draft *draft,
                const struct cx_recipe *recipe,
                const struct cx_l0_order *order, struct cx_err *err)
{
	CX_AUTO_FD int npm = -1;

	switch (recipe->from) {
	case CX_RECIPE_BUSYBOX:
		return cx_busybox_fill(draft, recipe, err);
	case CX_RECIPE_DEBIAN:
		break;
	}
	/* the quick step first: half a minute of packages may be for nothing */
	if (recipe->npm_version &&
	    cx_npm_fetch(cas, recipe, order->registry, order->progress, &npm,
	                 err) < 0)
		return -1;
	if (cx_debian_fill(draft, recipe, order->mirror, order->progress,
	                   err) < 0)
		return -1;
	return npm < 0 ? 0 : cx_npm_unpack(npm, draft, err);
}

static int make(const struct cx_cas *cas, const struct cx_recipe *recipe,
                const struct cx_l0_order *order,
                char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	CX_AUTO_SINGLE struct cx_single single = CX_SINGLE_NONE;
	char key[CX_DIGEST_TEXT];
	const struct cx_single_facts facts = {
		.name = recipe->name, .recipe = key, .epoch = recipe->epoch,
		.made_by = "cx-build l0",
	};

	cx_digest_text(&recipe->key, key);
	if (cx_draft_start(cas, recipe->epoch, &single.draft, err) < 0 ||
	    fill(cas, &single.draft, recipe, order, err) < 0 ||
	    pack(cas, &single, order->progress, err) < 0 ||
	    cx_single_publish(cas, &single, &facts, err) < 0)
		return -1;
	cx_digest_text(&single.manifest.digest, ret_digest);
	return 0;
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
	if (cx_listing_image(cas, entry, false, &document, err) < 0)
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

static int load(const struct cx_l0_order *order, struct cx_recipe *ret,
                struct cx_err *err)
{
	const char *name = order->shipped ? order->shipped : DEFAULT_RECIPE;
	CX_AUTO_FREE char *path = NULL;

	if (order->recipe)
		return cx_recipe_load(order->recipe, ret, err);
	path = cx_edition_name(name) ? cx_recipe_shipped(name) : NULL;
	if (path)
		return cx_recipe_load(path, ret, err);
	cx_err_set(err, CX_E_IO_ERROR,
	           "no recipe %.100s is shipped; -f FILE takes one of yours",
	           name);
	err->status = 66;
	return -1;
}

static int from_recipe(const struct cx_state *state, const struct cx_cas *cas,
                       const struct cx_l0_order *order, json_t **ret_document,
                       struct cx_err *err)
{
	CX_AUTO_RECIPE struct cx_recipe recipe = { 0 };
	CX_AUTO_FD int flight = -1;
	char digest[CX_DIGEST_TEXT];
	bool built = true;

	if (load(order, &recipe, err) < 0)
		return -1;
	if (lock_key(state, &recipe.key, &flight, err) < 0)
		return -1;
	cx_interrupt_hold();
	if (!order->refresh && find_made(cas, &recipe, digest)) {
		built = false;
		if (cx_edition_choose(cas, digest, err) < 0)
			return -1;
	} else if (make(cas, &recipe, order, digest, err) < 0) {
		return -1;
	}
	return describe(cas, digest, built, ret_document, err);
}

static int from_import(const struct cx_cas *cas,
                       const struct cx_l0_order *order, json_t **ret_document,
                       struct cx_err *err)
{
	const struct cx_import import = {
		.path = order->import, .name = order->name,
		.digest = order->digest, .refresh = order->refresh,
		.progress = order->progress,
	};
	char digest[CX_DIGEST_TEXT];
	bool built = true;

	if (cx_import_make(cas, &import, digest, &built, err) < 0)
		return -1;
	return describe(cas, digest, built, ret_document, err);
}

static int check(const struct cx_l0_order *order, struct cx_err *err)
{
	struct cx_digest unused;

	if (!!order->shipped + !!order->recipe + !!order->import > 1)
		return cx_err_set(err, CX_E_USAGE,
		                  "give a NAME, -f FILE or --import PATH, one "
		                  "of them");
	if (!order->import && (order->name || order->digest))
		return cx_err_set(err, CX_E_USAGE,
		                  "--name and --digest go with --import");
	if (order->name && !cx_edition_name(order->name))
		return cx_err_set(err, CX_E_USAGE,
		                  "a name is made of a-z, 0-9 and ._-, begins "
		                  "with a letter or digit, and isn't default");
	if (order->digest && !cx_digest_parse(order->digest, &unused))
		return cx_err_set(err, CX_E_USAGE,
		                  "a digest is sha256: and 64 hex digits");
	return 0;
}

int cx_l0_make(const struct cx_l0_order *order, json_t **ret_document,
               struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;

	if (check(order, err) < 0 || cx_state_open(&state, err) < 0 ||
	    cx_cas_open(&state, &cas, err) < 0)
		return -1;
	if (order->import)
		return from_import(&cas, order, ret_document, err);
	return from_recipe(&state, &cas, order, ret_document, err);
}
