/* catalogue.c - see catalogue.h. */
#include "store/catalogue.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "store/edition.h"
#include "store/stamp.h"

static json_t *annotations(json_t *entry)
{
	json_t *own = json_object_get(entry, "annotations");

	if (json_is_object(own))
		return own;
	json_object_set_new(entry, "annotations", json_object());
	return json_object_get(entry, "annotations");
}

static void set_default(json_t *entry)
{
	json_object_set_new(annotations(entry), CX_EDITION_DEFAULT,
	                    json_string("true"));
}

void cx_catalogue_insert(json_t *index, json_t *descriptor)
{
	json_t *list = json_object_get(index, "manifests"), *entry;
	CX_AUTO_JSON json_t *made = json_incref(descriptor);
	const char *digest = cx_json_text(made, "digest");
	const char *name = cx_json_text(annotations(made), CX_EDITION_NAME);

	for (size_t i = json_array_size(list); i-- > 0;) {
		const char *own, *own_name;

		entry = json_array_get(list, i);
		own = cx_json_text(entry, "digest");
		if (own && cx_str_same(own, digest)) {
			json_array_remove(list, i);
			continue;
		}
		own_name = cx_json_text(annotations(entry), CX_EDITION_NAME);
		if (name && own_name && cx_str_same(own_name, name))
			json_object_del(annotations(entry), CX_EDITION_NAME);
		json_object_del(annotations(entry), CX_EDITION_DEFAULT);
	}
	set_default(made);
	json_array_append(list, made);
}

void cx_catalogue_remove(json_t *index, const char *digest)
{
	json_t *list = json_object_get(index, "manifests");
	size_t i, left;

	for (i = json_array_size(list); i-- > 0;) {
		const char *own = cx_json_text(json_array_get(list, i),
		                               "digest");

		if (own && cx_str_same(own, digest))
			json_array_remove(list, i);
	}
	left = json_array_size(list);
	if (left && !cx_catalogue_default(index))
		set_default(json_array_get(list, left - 1));
}

const char *cx_catalogue_default(const json_t *index)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(index, "manifests"), i, entry) {
		const json_t *own = json_object_get(entry, "annotations");

		if (own && cx_json_text(own, CX_EDITION_DEFAULT))
			return cx_json_text(entry, "digest");
	}
	return NULL;
}

int cx_catalogue_write(const struct cx_cas *cas, const json_t *index,
                       struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_json_write(index, &text);
	cx_buf_byte(&text, '\n');
	return cx_fd_replace(cas->oci_fd, "index.json", text.data, text.size,
	                     0644, err);
}

static int write_ref(const struct cx_cas *cas, const char *name,
                     const char *digest, struct cx_err *err)
{
	CX_AUTO_FREE char *file = cx_mem_print("%s.ref", name);
	CX_AUTO_FREE char *text = cx_mem_print("%s\n", digest);

	return cx_fd_replace(cas->roots_fd, file, text, strlen(text), 0644,
	                     err);
}

int cx_catalogue_point(const struct cx_cas *cas, const char *name,
                       const char *digest, struct cx_err *err)
{
	if (name && write_ref(cas, name, digest, err) < 0)
		return -1;
	return write_ref(cas, CX_STAMP_DEFAULT, digest, err);
}

/* Shows each file of roots/ with this ending: its name and text. A visit that
 * returns other than 0 ends it. */
typedef int visit_file(const struct cx_cas *cas, const char *name,
                       const char *text, const struct cx_digest *digest,
                       struct cx_err *err);

static int each_file(const struct cx_cas *cas, const char *ending,
                     visit_file *visit, const struct cx_digest *digest,
                     struct cx_err *err)
{
	DIR *folder = cx_path_list(cas->roots_fd);
	struct dirent *entry;
	int status = 0;

	if (!folder)
		return cx_err_sys(err, CX_E_IO_ERROR, "list roots");
	while (status == 0 && (entry = readdir(folder))) {
		CX_AUTO_BUF struct cx_buf text = { 0 };

		if (!cx_str_ends(entry->d_name, ending))
			continue;
		if (cx_fd_load(cas->roots_fd, entry->d_name, CX_STAMP_MAX,
		               &text, err) < 0)
			continue;
		status = visit(cas, entry->d_name, text.data ? text.data : "",
		               digest, err);
	}
	closedir(folder);
	return status;
}

/* Looks for a layer's line in a stamp's text. */
static bool has_layer(const char *text, const struct cx_digest *diff_id,
                      struct cx_stamp_line *ret_line)
{
	if (cx_stamp_head(&text) < 0)
		return false;
	while (cx_stamp_read(&text, ret_line) == 0)
		if (cx_digest_same(&ret_line->diff_id, diff_id))
			return true;
	return false;
}

static int is_whole(const struct cx_cas *cas, const char *name,
                    const char *text, const struct cx_digest *diff_id,
                    struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	struct cx_stamp_line line;

	(void)name;
	if (!has_layer(text, diff_id, &line))
		return 0;
	fd = cx_stamp_open(cas->roots_fd, &line, err);
	return fd >= 0;
}

bool cx_catalogue_layer_whole(const struct cx_cas *cas,
                              const struct cx_digest *diff_id)
{
	struct cx_err unused;

	return each_file(cas, ".image", is_whole, diff_id, &unused) == 1;
}

static int restamp(const struct cx_cas *cas, const char *name,
                   const char *text, const struct cx_digest *diff_id,
                   struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf fresh = { 0 };
	struct cx_stamp_line line;
	const char *from;

	if (!has_layer(text, diff_id, &line))
		return 0;
	cx_stamp_start(&fresh);
	cx_stamp_head(&text);
	for (from = text; cx_stamp_read(&text, &line) == 0; from = text) {
		/* no other layer is vouched for anew */
		if (!cx_digest_same(&line.diff_id, diff_id))
			cx_buf_add(&fresh, from, (size_t)(text - from));
		else if (cx_stamp_add(cas->roots_fd, diff_id, &fresh, err) < 0)
			return -1;
	}
	return cx_fd_replace(cas->roots_fd, name, fresh.data, fresh.size, 0644,
	                     err);
}

int cx_catalogue_restamp(const struct cx_cas *cas,
                         const struct cx_digest *diff_id, struct cx_err *err)
{
	return each_file(cas, ".image", restamp, diff_id, err);
}

static int unpoint(const struct cx_cas *cas, const char *name,
                   const char *text, const struct cx_digest *digest,
                   struct cx_err *err)
{
	char wanted[CX_DIGEST_TEXT];

	cx_digest_text(digest, wanted);
	if (!cx_str_starts(text, wanted))
		return 0;
	if (unlinkat(cas->roots_fd, name, 0) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %s", name);
	return 0;
}

int cx_catalogue_unpoint(const struct cx_cas *cas, const char *digest,
                         struct cx_err *err)
{
	struct cx_digest value;

	if (!cx_digest_parse(digest, &value))
		return 0;
	return each_file(cas, ".ref", unpoint, &value, err);
}

static void keep_digest(json_t *keep, const char *digest)
{
	if (digest && cx_str_starts(digest, "sha256:"))
		json_object_set_new(keep, digest + 7, json_true());
}

int cx_catalogue_needs(const struct cx_cas *cas, const char *digest,
                       json_t *keep, struct cx_err *err)
{
	CX_AUTO_JSON json_t *manifest = NULL;
	CX_AUTO_JSON json_t *config = NULL;
	const char *config_digest;
	json_t *part;
	size_t i;

	if (cx_cas_json(cas, digest, &manifest, err) < 0)
		return -1;
	config_digest = cx_json_text(json_object_get(manifest, "config"),
	                             "digest");
	if (!config_digest ||
	    cx_cas_json(cas, config_digest, &config, err) < 0)
		return config_digest ? -1 : cx_err_set(
			err, CX_E_LAYER_CORRUPT,
			"manifest %s has no configuration", digest);
	keep_digest(keep, digest);
	keep_digest(keep, config_digest);
	json_array_foreach (json_object_get(manifest, "layers"), i, part)
		keep_digest(keep, cx_json_text(part, "digest"));
	part = json_object_get(json_object_get(config, "rootfs"), "diff_ids");
	for (i = 0; i < json_array_size(part); i++)
		keep_digest(keep, json_string_value(json_array_get(part, i)));
	return 0;
}
