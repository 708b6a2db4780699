/* removal.c - see removal.h. */
#include "store/removal.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "store/catalogue.h"
#include "store/edition.h"
#include "store/lock.h"
#include "store/stamp.h"

/* The digest that ref means in the index. */
static int find(const json_t *index, const char *ref,
                char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(index, "manifests"), i, entry) {
		const char *digest = cx_json_text(entry, "digest");
		const json_t *notes = json_object_get(entry, "annotations");
		const char *name = cx_json_text(notes, CX_EDITION_NAME);

		if (!digest || strlen(digest) >= CX_DIGEST_TEXT ||
		    (!cx_str_same(digest, ref) &&
		     !(name && cx_str_same(name, ref))))
			continue;
		memcpy(ret_digest, digest, strlen(digest) + 1);
		return 0;
	}
	return cx_err_set(err, CX_E_IMAGE_MISSING,
	                  "no image %.200s in the store; cx-build list shows "
	                  "what is there", ref);
}

/* While this is held nobody runs on the image or begins to. */
static int lease_stamp(const struct cx_cas *cas, const char *digest,
                       int *ret_lease, struct cx_err *err)
{
	char name[CX_STAMP_NAME];
	struct cx_digest value;

	if (!cx_digest_parse(digest, &value))
		return 0;
	cx_stamp_name(&value, name);
	if (faccessat(cas->roots_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (cx_lock_take(cas->roots_fd, name, CX_LOCK_EXCLUSIVE, false,
	                 ret_lease, err) == 0)
		return 0;
	if (err->code == CX_E_STORE_BUSY)
		cx_err_set(err, CX_E_STORE_BUSY,
		           "a command runs on %s; try again when it has ended",
		           digest);
	return -1;
}

/* Names that mean the digest go; default.ref follows the index. */
static int repoint(const struct cx_cas *cas, const json_t *index,
                   const char *digest, struct cx_err *err)
{
	const char *chosen = cx_catalogue_default(index);

	if (cx_catalogue_unpoint(cas, digest, err) < 0)
		return -1;
	return chosen ? cx_catalogue_point(cas, NULL, chosen, err) : 0;
}

/* Every blob and every layer that the index's images need, as hex names. */
static int needed(const struct cx_cas *cas, const json_t *index, json_t *keep,
                  struct cx_err *err)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(index, "manifests"), i, entry) {
		const char *digest = cx_json_text(entry, "digest");

		if (!digest || cx_catalogue_needs(cas, digest, keep, err) < 0)
			return digest ? -1 : cx_err_set(
				err, CX_E_LAYER_CORRUPT,
				"oci/index.json has an image without a digest");
	}
	return 0;
}

/* What a stamp that is still in use speaks of stays. */
static void keep_layers(const char *text, json_t *keep)
{
	struct cx_stamp_line line;

	if (cx_stamp_head(&text) < 0)
		return;
	while (cx_stamp_read(&text, &line) == 0) {
		char name[CX_STAMP_NAME];

		cx_stamp_root(&line.diff_id, name);
		json_object_set_new(keep, name, json_true());
	}
}

/* A stamp of an image that isn't in the index goes, unless a command runs on
 * it yet. */
static int drop_stamp(const struct cx_cas *cas, const char *name, json_t *keep,
                      struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int lease = -1;
	char hex[65];

	memcpy(hex, name, 64);
	hex[64] = '\0';
	if (json_object_get(keep, hex))
		return 0;
	if (cx_fd_load(cas->roots_fd, name, CX_STAMP_MAX, &text, err) < 0)
		return -1;
	if (cx_lock_take(cas->roots_fd, name, CX_LOCK_EXCLUSIVE, false, &lease,
	                 err) < 0) {
		keep_layers(text.data ? text.data : "", keep);
		return err->code == CX_E_STORE_BUSY ? 0 : -1;
	}
	if (unlinkat(cas->roots_fd, name, 0) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %s", name);
	return 0;
}

static int drop_hex(int folder_fd, const char *name, const json_t *keep,
                    struct cx_err *err)
{
	if (json_object_get(keep, name))
		return 0;
	if (cx_path_remove(folder_fd, name) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %s", name);
	return 0;
}

enum kind { STAMPS, HEXES };

/* Goes through the names of a folder that are ours to judge. */
static int sweep(const struct cx_cas *cas, int folder_fd, enum kind kind,
                 json_t *keep, struct cx_err *err)
{
	DIR *folder = cx_path_list(folder_fd);
	struct dirent *entry;
	uint8_t value[32];
	int status = 0;

	if (!folder)
		return cx_err_sys(err, CX_E_IO_ERROR, "list the store");
	while (status == 0 && (entry = readdir(folder))) {
		const char *name = entry->d_name;

		if (kind == STAMPS && strlen(name) == 64 + 6 &&
		    cx_str_ends(name, ".image"))
			status = drop_stamp(cas, name, keep, err);
		if (kind == HEXES && cx_hex_read(name, value, sizeof value))
			status = drop_hex(folder_fd, name, keep, err);
	}
	closedir(folder);
	return status;
}

int cx_removal_sweep(const struct cx_cas *cas, const json_t *index,
                     struct cx_err *err)
{
	CX_AUTO_JSON json_t *keep = json_object();

	if (needed(cas, index, keep, err) < 0 ||
	    sweep(cas, cas->roots_fd, STAMPS, keep, err) < 0 ||
	    sweep(cas, cas->roots_fd, HEXES, keep, err) < 0)
		return -1;
	return sweep(cas, cas->blobs_fd, HEXES, keep, err);
}

int cx_removal_of(const struct cx_cas *cas, const char *ref,
                  char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	CX_AUTO_JSON json_t *index = NULL;
	CX_AUTO_FD int lock = -1;
	CX_AUTO_FD int lease = -1;
	char digest[CX_DIGEST_TEXT];

	if (cx_cas_lock(cas, &lock, err) < 0 ||
	    cx_cas_index(cas, &index, err) < 0 ||
	    find(index, ref, digest, err) < 0 ||
	    lease_stamp(cas, digest, &lease, err) < 0)
		return -1;
	cx_catalogue_remove(index, digest);
	if (cx_catalogue_write(cas, index, err) < 0 ||
	    repoint(cas, index, digest, err) < 0)
		return -1;
	/* ours was the only lease; the sweep takes it anew */
	cx_fd_close_at(&lease);
	if (cx_removal_sweep(cas, index, err) < 0)
		return -1;
	memcpy(ret_digest, digest, sizeof digest);
	return 0;
}
