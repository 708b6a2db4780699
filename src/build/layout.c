/* layout.c - see layout.h. */
#include "build/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "build/oci.h"
#include "store/edition.h"

enum { METADATA_MAX_BYTES = 8 * 1024 * 1024, INDEX_DEPTH_MAX = 4 };

static const char *const manifest_types[] = {
	"application/vnd.oci.image.manifest.v1+json",
	"application/vnd.docker.distribution.manifest.v2+json",
};

static const char *const index_types[] = {
	"application/vnd.oci.image.index.v1+json",
	"application/vnd.docker.distribution.manifest.list.v2+json",
};

static bool is_one_of(const char *type, const char *const list[2])
{
	return type && (cx_str_same(type, list[0]) ||
	                cx_str_same(type, list[1]));
}

static int corrupt(const char *what, struct cx_err *err)
{
	return cx_err_set(err, CX_E_LAYER_CORRUPT, "the layout's %s", what);
}

int cx_layout_open(int layout_fd, const json_t *descriptor, int *ret_fd,
                   struct cx_err *err)
{
	const char *digest = cx_json_text(descriptor, "digest");
	CX_AUTO_FREE char *path = NULL;
	CX_AUTO_FD int fd = -1;
	struct cx_digest value;
	struct stat is;

	if (!digest || !cx_digest_parse(digest, &value))
		return corrupt("descriptor has no sha256 digest", err);
	path = cx_mem_print("blobs/sha256/%s", digest + 7);
	/* no link is followed: a layout is a folder of files */
	fd = cx_path_open(layout_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0 || fstat(fd, &is) < 0 || !S_ISREG(is.st_mode))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "blob %s isn't in the layout", digest);
	if (is.st_size != cx_json_number(descriptor, "size", -1))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "blob %s has another length than its "
		                  "descriptor says", digest);
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

/* A blob of metadata, its digest checked, as text and as JSON. */
static int load(int layout_fd, const json_t *descriptor, struct cx_buf *ret,
                json_t **ret_value, struct cx_err *err)
{
	const char *digest = cx_json_text(descriptor, "digest");
	struct cx_digest wanted, got;
	CX_AUTO_FD int fd = -1;

	if (cx_layout_open(layout_fd, descriptor, &fd, err) < 0 ||
	    cx_fd_slurp(fd, METADATA_MAX_BYTES, digest, ret, err) < 0)
		return -1;
	cx_digest_of(ret->data, ret->size, &got);
	if (!cx_digest_parse(digest, &wanted) || !cx_digest_same(&wanted, &got))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "blob %s doesn't have its digest", digest);
	return cx_json_parse(ret->data, ret->size, digest, ret_value, err);
}

/* What a descriptor says of its platform; nothing said may be ours. */
static bool may_run_here(const json_t *descriptor)
{
	const json_t *platform = json_object_get(descriptor, "platform");
	const char *os = cx_json_text(platform, "os");
	const char *architecture = cx_json_text(platform, "architecture");

	return (!os || cx_str_same(os, "linux")) &&
	       (!architecture ||
	        cx_str_same(architecture, cx_oci_platform()));
}

static bool is_meant(const json_t *descriptor, const char *digest)
{
	const char *own = cx_json_text(descriptor, "digest");

	return digest ? own && cx_str_same(own, digest)
	              : may_run_here(descriptor);
}

/* Collects into found every manifest that may be meant. */
static int collect(int layout_fd, const json_t *index, const char *digest,
                   unsigned depth, json_t *found, struct cx_err *err)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(index, "manifests"), i, entry) {
		const char *type = cx_json_text(entry, "mediaType");
		CX_AUTO_BUF struct cx_buf text = { 0 };
		CX_AUTO_JSON json_t *inner = NULL;
		bool all = digest && is_meant(entry, digest);

		if (is_one_of(type, manifest_types) && is_meant(entry, digest))
			json_array_append(found, entry);
		if (!is_one_of(type, index_types))
			continue;
		if (depth == INDEX_DEPTH_MAX)
			return corrupt("indexes lie too deep", err);
		if (load(layout_fd, entry, &text, &inner, err) < 0 ||
		    collect(layout_fd, inner, all ? NULL : digest, depth + 1,
		            found, err) < 0)
			return -1;
	}
	return 0;
}

static int choose(json_t *found, const char *digest, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf list = { 0 };
	size_t count = json_array_size(found);

	if (count == 1)
		return 0;
	if (count == 0)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the layout has no image %s%s",
		                  digest ? digest : "for linux/",
		                  digest ? "" : cx_oci_platform());
	for (size_t i = 0; i < count && i < 4; i++)
		cx_buf_print(&list, " %s",
		             cx_json_text(json_array_get(found, i), "digest"));
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "the layout has %zu images; choose one with "
	                  "--digest:%s", count, list.data);
}

static int check_config(const json_t *config, struct cx_err *err)
{
	const char *os = cx_json_text(config, "os");
	const char *architecture = cx_json_text(config, "architecture");

	if (!os || !architecture)
		return corrupt("configuration names no platform", err);
	if (!cx_str_same(os, "linux") ||
	    !cx_str_same(architecture, cx_oci_platform()))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the image is for %.40s/%.40s, this machine "
		                  "is linux/%s", os, architecture,
		                  cx_oci_platform());
	return 0;
}

static int check_parts(const struct cx_layout_image *image, struct cx_err *err)
{
	const json_t *layers = json_object_get(image->manifest, "layers");
	const json_t *rootfs = json_object_get(image->config, "rootfs");
	size_t count = json_array_size(layers);

	if (cx_json_number(image->manifest, "schemaVersion", 0) != 2)
		return corrupt("manifest has another schemaVersion than 2",
		               err);
	if (count == 0 || count > CX_IMAGE_LAYERS_MAX)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "the image has %zu layers; 1 to %d are taken",
		                  count, CX_IMAGE_LAYERS_MAX);
	if (json_array_size(json_object_get(rootfs, "diff_ids")) != count)
		return corrupt("configuration doesn't fit the manifest", err);
	return check_config(image->config, err);
}

static int read_image(int layout_fd, const json_t *descriptor,
                      struct cx_layout_image *image, struct cx_err *err)
{
	const json_t *notes = json_object_get(descriptor, "annotations");
	const char *name = cx_json_text(notes, CX_EDITION_NAME);
	struct cx_digest value;

	if (load(layout_fd, descriptor, &image->manifest_text, &image->manifest,
	         err) < 0 ||
	    load(layout_fd, json_object_get(image->manifest, "config"),
	         &image->config_text, &image->config, err) < 0)
		return -1;
	if (!cx_digest_parse(cx_json_text(descriptor, "digest"), &value))
		return corrupt("descriptor has no sha256 digest", err);
	cx_digest_text(&value, image->digest);
	image->media_type =
		cx_mem_text(cx_json_text(descriptor, "mediaType"));
	if (name && cx_edition_name(name))
		image->name = cx_mem_text(name);
	return check_parts(image, err);
}

int cx_layout_find(int layout_fd, const char *digest,
                   struct cx_layout_image *ret, struct cx_err *err)
{
	CX_AUTO_LAYOUT struct cx_layout_image image = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *index = NULL;
	CX_AUTO_JSON json_t *found = json_array();
	CX_AUTO_FD int fd = cx_path_open(layout_fd, "index.json",
	                                 O_RDONLY | O_NONBLOCK, 0);

	if (fd < 0)
		return corrupt("index.json isn't there", err);
	if (cx_fd_slurp(fd, METADATA_MAX_BYTES, "index.json", &text, err) < 0 ||
	    cx_json_parse(text.data, text.size, "index.json", &index,
	                  err) < 0 ||
	    collect(layout_fd, index, digest, 0, found, err) < 0 ||
	    choose(found, digest, err) < 0 ||
	    read_image(layout_fd, json_array_get(found, 0), &image, err) < 0)
		return -1;
	*ret = image;
	image = (struct cx_layout_image){ 0 };
	return 0;
}

void cx_layout_done(struct cx_layout_image *image)
{
	free(image->media_type);
	free(image->name);
	cx_buf_done(&image->manifest_text);
	cx_buf_done(&image->config_text);
	json_decref(image->manifest);
	json_decref(image->config);
	*image = (struct cx_layout_image){ 0 };
}
