/* layered.c - see layered.h. */
#include "build/layered.h"

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"
#include "build/layout.h"
#include "build/oci.h"
#include "store/edition.h"
#include "store/tar.h"

/* Made on the way, published together. */
struct taking {
	struct cx_edition edition;
	struct cx_blob layer[CX_IMAGE_LAYERS_MAX];
	struct cx_draft draft[CX_IMAGE_LAYERS_MAX];
	struct cx_blob config, manifest;
	size_t count; /* of layers that were begun */
};

static void done(struct taking *taking)
{
	for (size_t i = 0; i < taking->count; i++) {
		cx_blob_done(&taking->layer[i]);
		cx_draft_done(&taking->draft[i]);
	}
	cx_blob_done(&taking->config);
	cx_blob_done(&taking->manifest);
	json_decref(taking->edition.descriptor);
	free(taking);
}

static int copy_in(const void *data, size_t size, void *context,
                   struct cx_err *err)
{
	if (cx_interrupt_check(err) < 0)
		return -1;
	return cx_blob_add(context, data, size, err);
}

/* The media type must say how the bytes are compressed: readers go by it. */
static bool fits_form(const char *type, enum cx_inflate_form form)
{
	static const char *const ending[] = {
		[CX_INFLATE_PLAIN] = "tar",
		[CX_INFLATE_GZIP] = "gzip",
		[CX_INFLATE_ZSTD] = "zstd",
	};

	return type && cx_str_ends(type, ending[form]) &&
	       !strstr(type, "nondistributable") && !strstr(type, "foreign");
}

static int check_layer(const json_t *descriptor, const char *diff_id,
                       const struct cx_inflate *inflate,
                       const struct cx_blob *blob,
                       const struct cx_digest *got, struct cx_err *err)
{
	const char *digest = cx_json_text(descriptor, "digest");
	struct cx_digest wanted, wanted_diff;

	if (!fits_form(cx_json_text(descriptor, "mediaType"),
	               cx_inflate_form(inflate)))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "layer %s isn't of its media type", digest);
	if (!cx_digest_parse(digest, &wanted) ||
	    !CX_PROMISE(layer_has_digest,
	                cx_digest_same(&wanted, &blob->digest)))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "layer %s doesn't have its digest", digest);
	if (!diff_id || !cx_digest_parse(diff_id, &wanted_diff) ||
	    !CX_PROMISE(layer_has_diff_id, cx_digest_same(&wanted_diff, got)))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "layer %s doesn't unpack to its diff_id",
		                  digest);
	return 0;
}

static int take_layer(const struct cx_cas *cas, int layout_fd,
                      const struct cx_layout_image *image, size_t i,
                      struct taking *taking, struct cx_err *err)
{
	static const struct cx_tar_order order = { .layer = true };
	const json_t *descriptor = json_array_get(
		json_object_get(image->manifest, "layers"), i);
	const json_t *ids = json_object_get(
		json_object_get(image->config, "rootfs"), "diff_ids");
	struct cx_edition_layer *layer = &taking->edition.layer[i];
	struct cx_blob *blob = &taking->layer[i];
	struct cx_draft *draft = &taking->draft[i];
	CX_AUTO_INFLATE struct cx_inflate inflate = {
		.tap_in = copy_in, .tap_in_context = blob,
	};
	CX_AUTO_FD int fd = -1;
	uint64_t bytes;

	if (cx_layout_open(layout_fd, descriptor, &fd, err) < 0 ||
	    cx_blob_start(cas, blob, err) < 0 ||
	    cx_draft_start(cas, INT64_MAX, draft, err) < 0)
		return -1;
	inflate.fd = fd;
	if (cx_inflate_start(&inflate, err) < 0 ||
	    cx_tar_unpack(&inflate, &order, draft, err) < 0 ||
	    cx_inflate_end(&inflate, &layer->diff_id, &bytes, err) < 0 ||
	    cx_blob_end(blob, err) < 0 ||
	    check_layer(descriptor, json_string_value(json_array_get(ids, i)),
	                &inflate, blob, &layer->diff_id, err) < 0 ||
	    cx_draft_settle(draft, err) < 0)
		return -1;
	layer->draft = draft;
	taking->edition.blob[taking->edition.blob_count++] = blob;
	return 0;
}

static int take_texts(const struct cx_cas *cas,
                      const struct cx_layout_image *image,
                      struct taking *taking, struct cx_err *err)
{
	struct cx_edition *edition = &taking->edition;

	if (cx_blob_whole(cas, image->config_text.data,
	                  image->config_text.size, &taking->config, err) < 0 ||
	    cx_blob_whole(cas, image->manifest_text.data,
	                  image->manifest_text.size, &taking->manifest,
	                  err) < 0)
		return -1;
	edition->blob[edition->blob_count++] = &taking->config;
	edition->blob[edition->blob_count++] = &taking->manifest;
	return 0;
}

static int take(const struct cx_cas *cas, int layout_fd,
                const struct cx_layout_image *image, const char *name,
                const struct cx_import *import, struct cx_err *err)
{
	size_t count = json_array_size(
		json_object_get(image->manifest, "layers"));
	struct taking *taking = cx_mem_new(sizeof *taking);
	int status = 0;

	taking->config = taking->manifest = CX_BLOB_NONE;
	for (size_t i = 0; status == 0 && i < count; i++) {
		cx_progress_say(import->progress, "taking layer %zu of %zu",
		                i + 1, count);
		taking->layer[i] = CX_BLOB_NONE;
		taking->draft[i] = CX_DRAFT_NONE;
		taking->count = i + 1;
		status = take_layer(cas, layout_fd, image, i, taking, err);
	}
	if (status == 0)
		status = take_texts(cas, image, taking, err);
	if (status == 0)
		status = cx_interrupt_check(err);
	if (status == 0) {
		taking->edition.layer_count = count;
		taking->edition.name = name;
		taking->edition.descriptor = cx_oci_descriptor(
			image->media_type, image->digest,
			image->manifest_text.size, name, NULL);
		status = cx_edition_put(cas, &taking->edition, err);
	}
	done(taking);
	return status;
}

int cx_layered_take(const struct cx_cas *cas, int layout_fd,
                    const struct cx_import *import,
                    char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                    struct cx_err *err)
{
	CX_AUTO_LAYOUT struct cx_layout_image image = { 0 };
	const char *name;

	if (cx_layout_find(layout_fd, import->digest, &image, err) < 0)
		return -1;
	name = import->name ? import->name : image.name;
	memcpy(ret_digest, image.digest, sizeof image.digest);
	*ret_built = import->refresh || import->name ||
	             !cx_edition_whole(cas, image.digest);
	if (!*ret_built)
		return cx_edition_choose(cas, image.digest, err);
	return take(cas, layout_fd, &image, name ? name : "imported", import,
	            err);
}
