/* listing.c - see listing.h. */
#include "build/listing.h"

#include <errno.h>

#include "base/str.h"
#include "build/l0.h"
#include "plane/config.h"
#include "store/catalogue.h"
#include "store/edition.h"
#include "store/removal.h"

static const char *const versions[] = { "cx/v1", NULL };

static const struct cx_shape layer_shape[] = {
	{ "diffId", CX_SHAPE_TEXT, "Digest of the layer's uncompressed tar",
	  .required = true },
	{ "digest", CX_SHAPE_TEXT, "Digest of the blob as stored",
	  .required = true },
	{ "mediaType", CX_SHAPE_TEXT, "The blob's OCI media type",
	  .required = true },
	{ "size", CX_SHAPE_NUMBER, "The blob's size in bytes",
	  .required = true },
	{ 0 },
};

static const struct cx_shape layer_item[] = {
	{ NULL, CX_SHAPE_OBJECT, "One layer", .sub = layer_shape },
	{ 0 },
};

#define IMAGE_MEMBERS \
	{ "digest", CX_SHAPE_TEXT, \
	  "Digest of the manifest: what l0 in the configuration or " \
	  "CX_L0_IMAGE takes", .required = true }, \
	{ "ref", CX_SHAPE_TEXT, "The image's name in the index", \
	  .required = true, \
	  .nullable = true }, \
	{ "default", CX_SHAPE_BOOL, \
	  "Commands run on it unless told otherwise", \
	  .required = true }, \
	{ "whole", CX_SHAPE_BOOL, "Its layers are as they were published", \
	  .required = true }, \
	{ "shared", CX_SHAPE_BOOL, "It stands in the machine's shared store", \
	  .required = true }, \
	{ "platform", CX_SHAPE_TEXT, "Operating system and architecture", \
	  .required = true }, \
	{ "recipe", CX_SHAPE_TEXT, "Digest of what it was made from", \
	  .required = true, \
	  .nullable = true }, \
	{ "layers", CX_SHAPE_LIST, "Its layers, lowest first", \
	  .required = true, \
	  .sub = layer_item }, \
	{ "bytes", CX_SHAPE_NUMBER, "Size of all its blobs", .required = true }

static const struct cx_shape image_members[] = { IMAGE_MEMBERS, { 0 } };

static const struct cx_shape made_members[] = {
	{ "apiVersion", CX_SHAPE_TEXT, "Always cx/v1", .required = true,
	  .word = versions },
	{ "built", CX_SHAPE_BOOL,
	  "It was made now; else it stood in the store already",
	  .required = true },
	IMAGE_MEMBERS,
	{ 0 },
};

static const struct cx_shape image_item[] = {
	{ NULL, CX_SHAPE_OBJECT, "One image",
	  .sub = image_members },
	{ 0 },
};

static const struct cx_shape list_members[] = {
	{ "apiVersion", CX_SHAPE_TEXT, "Always cx/v1", .required = true,
	  .word = versions },
	{ "images", CX_SHAPE_LIST, "The images, the one chosen last first",
	  .required = true, .sub = image_item },
	{ 0 },
};

static const struct cx_shape removed_members[] = {
	{ "apiVersion", CX_SHAPE_TEXT, "Always cx/v1", .required = true,
	  .word = versions },
	{ "removed", CX_SHAPE_TEXT, "Digest of the image that is gone",
	  .required = true },
	{ 0 },
};

const struct cx_shape cx_listing_l0_shape = {
	.kind = CX_SHAPE_OBJECT, .about = "The image that was made or chosen",
	.sub = made_members,
};

const struct cx_shape cx_listing_shape = {
	.kind = CX_SHAPE_OBJECT, .about = "The images in the store",
	.sub = list_members,
};

const struct cx_shape cx_listing_removed_shape = {
	.kind = CX_SHAPE_OBJECT, .about = "What was removed",
	.sub = removed_members,
};

/* Each layer of the manifest beside its diff_id of the configuration. */
static int describe_layers(const json_t *manifest, const json_t *config,
                           json_t *layers, int64_t *bytes, struct cx_err *err)
{
	const json_t *ids = json_object_get(json_object_get(config, "rootfs"),
	                                    "diff_ids");
	json_t *layer;
	size_t i;

	json_array_foreach (json_object_get(manifest, "layers"), i, layer) {
		const char *diff_id = json_string_value(json_array_get(ids, i));
		const char *digest = cx_json_text(layer, "digest");
		const char *type = cx_json_text(layer, "mediaType");

		if (!diff_id || !digest || !type)
			return cx_err_set(err, CX_E_LAYER_CORRUPT,
			                  "a manifest doesn't fit its "
			                  "configuration");
		json_array_append_new(
			layers,
			json_pack("{s:s, s:s, s:s, s:I}", "diffId", diff_id,
		                  "digest", digest, "mediaType", type, "size",
		                  (json_int_t)cx_json_number(layer, "size",
		                                             0)));
		*bytes += cx_json_number(layer, "size", 0);
	}
	return 0;
}

static json_t *platform_of(const json_t *config)
{
	const char *os = cx_json_text(config, "os");
	const char *architecture = cx_json_text(config, "architecture");

	return json_sprintf("%s/%s", os ? os : "unknown",
	                    architecture ? architecture : "unknown");
}

/* Reads what the image consists of. */
static int read_parts(const struct cx_cas *cas, const char *digest,
                      json_t **ret_manifest, json_t **ret_config,
                      struct cx_err *err)
{
	const char *config;

	if (cx_cas_json(cas, digest, ret_manifest, err) < 0)
		return -1;
	config = cx_json_text(json_object_get(*ret_manifest, "config"),
	                      "digest");
	if (!config)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "manifest %s has no configuration", digest);
	return cx_cas_json(cas, config, ret_config, err);
}

int cx_listing_image(const struct cx_cas *cas, const json_t *entry,
                     bool shared, json_t **ret_image, struct cx_err *err)
{
	const char *digest = cx_json_text(entry, "digest");
	const json_t *notes = json_object_get(entry, "annotations");
	CX_AUTO_JSON json_t *manifest = NULL;
	CX_AUTO_JSON json_t *config = NULL;
	CX_AUTO_JSON json_t *layers = json_array();
	int64_t bytes = cx_json_number(entry, "size", 0);

	if (!digest)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "an image without a digest");
	if (read_parts(cas, digest, &manifest, &config, err) < 0 ||
	    describe_layers(manifest, config, layers, &bytes, err) < 0)
		return -1;
	bytes += cx_json_number(json_object_get(manifest, "config"), "size", 0);
	*ret_image = json_pack(
		"{s:s, s:s?, s:b, s:b, s:b, s:o, s:s?, s:O, s:I}", "digest",
		digest, "ref", cx_json_text(notes, CX_EDITION_NAME), "default",
		cx_json_text(notes, CX_EDITION_DEFAULT) != NULL, "whole",
		cx_edition_whole(cas, digest), "shared", shared, "platform",
		platform_of(config), "recipe",
		cx_json_text(notes, CX_EDITION_RECIPE), "layers", layers,
		"bytes", (json_int_t)bytes);
	return 0;
}

/* An image whose parts can't be read is shown all the same, so that it can be
 * removed. */
static json_t *broken_image(const json_t *entry, bool shared)
{
	const json_t *notes = json_object_get(entry, "annotations");

	return json_pack("{s:s*, s:s?, s:b, s:b, s:b, s:s, s:n, s:[], s:i}",
	                 "digest", cx_json_text(entry, "digest"), "ref",
	                 cx_json_text(notes, CX_EDITION_NAME), "default", 0,
	                 "whole", 0, "shared", shared, "platform", "unknown",
	                 "recipe", "layers", "bytes", 0);
}

static int add_images(const struct cx_state *state, json_t *images,
                      struct cx_err *err)
{
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;
	CX_AUTO_JSON json_t *index = NULL;
	json_t *list, *image;

	if (state->fd < 0)
		return 0;
	if (cx_cas_peek(state, &cas, err) < 0)
		return -1;
	if (cas.blobs_fd < 0)
		return 0;
	if (cx_cas_index(&cas, &index, err) < 0)
		return -1;
	list = json_object_get(index, "manifests");
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *entry = json_array_get(list, i);

		if (cx_listing_image(&cas, entry, state->shared, &image, err) <
		    0)
			image = broken_image(entry, state->shared);
		json_array_append_new(images, image);
	}
	return 0;
}

/* What a command would run on: the configuration's image where it names one,
 * else the first that its store calls the default. */
static void mark_default(json_t *images, const char *l0)
{
	bool found = false;
	json_t *image;
	size_t i;

	json_array_foreach (images, i, image) {
		const char *ref = cx_json_text(image, "ref");
		bool fits = l0 ? cx_str_same(l0, cx_json_text(image,
		                                              "digest")) ||
		                         (ref && cx_str_same(l0, ref))
		               : cx_json_is_true(image, "default");

		json_object_set_new(image, "default",
		                    json_boolean(fits && !found));
		found |= fits;
	}
}

int cx_listing_all(json_t **ret_document, struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_STATE struct cx_state shared = CX_STATE_NONE;
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	CX_AUTO_JSON json_t *images = json_array();

	if (cx_config_load(&config, err) < 0)
		return -1;
	if (cx_state_find(&state, err) < 0 && err->sys != ENOENT)
		return -1;
	if (cx_state_shared(config.store_shared, &state, &shared, err) < 0 ||
	    add_images(&state, images, err) < 0 ||
	    add_images(&shared, images, err) < 0)
		return -1;
	mark_default(images, config.l0);
	*ret_document = json_pack("{s:s, s:O}", "apiVersion", "cx/v1",
	                          "images", images);
	return 0;
}

int cx_listing_remove(const char *ref, json_t **ret_document,
                      struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;
	char digest[CX_DIGEST_TEXT];

	if (cx_image_ref_check(ref, err) < 0 ||
	    cx_state_open(&state, err) < 0 ||
	    cx_cas_open(&state, &cas, err) < 0 ||
	    cx_removal_of(&cas, ref, digest, err) < 0)
		return -1;
	*ret_document = json_pack("{s:s, s:s}", "apiVersion", "cx/v1",
	                          "removed", digest);
	return 0;
}
