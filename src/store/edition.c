/* edition.c - see edition.h. */
#include "store/edition.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "store/catalogue.h"
#include "store/removal.h"
#include "store/stamp.h"

bool cx_edition_name(const char *name)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

	return cx_str_only(name, set) && strlen(name) <= 64 &&
	       !strchr("._-", name[0]) && !cx_str_same(name, CX_STAMP_DEFAULT);
}

/* 0 when the stamp is there and every root is as it says. */
static int check(const struct cx_cas *cas, const struct cx_digest *digest)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	char name[CX_STAMP_NAME];
	struct cx_stamp_line line;
	struct cx_err unused;
	const char *at;

	cx_stamp_name(digest, name);
	if (cx_fd_load(cas->roots_fd, name, CX_STAMP_MAX, &text, &unused) < 0)
		return -1;
	at = text.data;
	if (cx_stamp_head(&at) < 0)
		return -1;
	while (*at) {
		CX_AUTO_FD int fd = -1;

		if (cx_stamp_read(&at, &line) < 0)
			return -1;
		fd = cx_stamp_open(cas->roots_fd, &line, &unused);
		if (fd < 0)
			return -1;
	}
	return 0;
}

bool cx_edition_whole(const struct cx_cas *cas, const char *digest)
{
	struct cx_digest value;

	return cx_digest_parse(digest, &value) && check(cas, &value) == 0;
}

/* A layer that stands higher up again shows all of itself there: the lower one
 * adds nothing, and overlayfs takes no folder twice. */
static bool stands_above(const struct cx_edition *edition, size_t place)
{
	for (size_t i = place + 1; i < edition->layer_count; i++)
		if (cx_digest_same(&edition->layer[i].diff_id,
		                   &edition->layer[place].diff_id))
			return true;
	return false;
}

/* The stamp's lines, top layer first. */
static int write_stamp(const struct cx_cas *cas,
                       const struct cx_edition *edition, const char *digest,
                       struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	char name[CX_STAMP_NAME];
	struct cx_digest value;

	if (!cx_digest_parse(digest, &value))
		return cx_err_set(err, CX_E_INTERNAL, "no digest to stamp");
	cx_stamp_start(&text);
	for (size_t i = edition->layer_count; i-- > 0;)
		if (!stands_above(edition, i) &&
		    cx_stamp_add(cas->roots_fd, &edition->layer[i].diff_id,
		                 &text, err) < 0)
			return -1;
	cx_stamp_name(&value, name);
	return cx_fd_replace(cas->roots_fd, name, text.data, text.size, 0644,
	                     err);
}

/* Blobs, then roots; a root that another whole image uses stays. */
static int put_content(const struct cx_cas *cas,
                       const struct cx_edition *edition, struct cx_err *err)
{
	for (size_t i = 0; i < edition->blob_count; i++)
		if (cx_blob_publish(edition->blob[i], cas, err) < 0)
			return -1;
	for (size_t i = 0; i < edition->layer_count; i++) {
		const struct cx_edition_layer *layer = &edition->layer[i];

		if (cx_catalogue_layer_whole(cas, &layer->diff_id))
			continue;
		if (cx_draft_publish(layer->draft, cas, &layer->diff_id,
		                     err) < 0 ||
		    cx_catalogue_restamp(cas, &layer->diff_id, err) < 0)
			return -1;
	}
	if (fsync(cas->blobs_fd) < 0 || fsync(cas->roots_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "sync the store");
	return 0;
}

int cx_edition_put(const struct cx_cas *cas, const struct cx_edition *edition,
                   struct cx_err *err)
{
	const char *digest = cx_json_text(edition->descriptor, "digest");
	CX_AUTO_JSON json_t *index = NULL;
	CX_AUTO_FD int lock = -1;

	if (cx_cas_lock(cas, &lock, err) < 0 ||
	    put_content(cas, edition, err) < 0)
		return -1;
	if (!cx_edition_whole(cas, digest) &&
	    write_stamp(cas, edition, digest, err) < 0)
		return -1;
	if (cx_cas_index(cas, &index, err) < 0)
		return -1;
	cx_catalogue_insert(index, edition->descriptor);
	if (cx_catalogue_write(cas, index, err) < 0 ||
	    cx_catalogue_point(cas, edition->name, digest, err) < 0)
		return -1;
	return cx_removal_sweep(cas, index, err);
}

int cx_edition_choose(const struct cx_cas *cas, const char *digest,
                      struct cx_err *err)
{
	CX_AUTO_JSON json_t *index = NULL;
	CX_AUTO_JSON json_t *entry = NULL;
	CX_AUTO_FD int lock = -1;

	if (cx_cas_lock(cas, &lock, err) < 0 ||
	    cx_cas_index(cas, &index, err) < 0)
		return -1;
	entry = json_incref(cx_cas_find(index, digest));
	if (!entry)
		return cx_err_set(err, CX_E_IMAGE_MISSING,
		                  "no image %.80s in the store", digest);
	cx_catalogue_insert(index, entry);
	if (cx_catalogue_write(cas, index, err) < 0)
		return -1;
	return cx_catalogue_point(cas, NULL, digest, err);
}
