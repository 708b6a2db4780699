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

/* After this nobody opens the image any more, and nobody has it open. */
static int remove_stamp(const struct cx_cas *cas, const char *digest,
                        struct cx_err *err)
{
	CX_AUTO_FD int lease = -1;
	char name[CX_STAMP_NAME];
	struct cx_digest value;

	if (!cx_digest_parse(digest, &value))
		return 0;
	cx_stamp_name(&value, name);
	if (faccessat(cas->roots_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (cx_lock_take(cas->roots_fd, name, CX_LOCK_EXCLUSIVE, false, &lease,
	                 err) < 0) {
		if (err->code == CX_E_STORE_BUSY)
			cx_err_set(err, CX_E_STORE_BUSY,
			           "a command runs on %s; try again when it "
			           "has ended", digest);
		return -1;
	}
	if (unlinkat(cas->roots_fd, name, 0) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %s", name);
	return 0;
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

/* Removes from the folder every name of 64 hex digits that isn't kept. */
static int sweep(int folder_fd, const json_t *keep, struct cx_err *err)
{
	int copy = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	uint8_t value[32];
	int status = 0;

	if (!folder) {
		cx_fd_close_at(&copy);
		return cx_err_sys(err, CX_E_IO_ERROR, "list the store");
	}
	while (status == 0 && (entry = readdir(folder))) {
		if (!cx_hex_read(entry->d_name, value, sizeof value) ||
		    json_object_get(keep, entry->d_name))
			continue;
		if (cx_path_remove(folder_fd, entry->d_name) < 0)
			status = cx_err_sys(err, CX_E_IO_ERROR, "remove %s",
			                    entry->d_name);
	}
	closedir(folder);
	return status;
}

int cx_removal_of(const struct cx_cas *cas, const char *ref,
                  char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	CX_AUTO_JSON json_t *index = NULL;
	CX_AUTO_JSON json_t *keep = json_object();
	CX_AUTO_FD int lock = -1;
	char digest[CX_DIGEST_TEXT];

	if (cx_cas_lock(cas, &lock, err) < 0 ||
	    cx_cas_index(cas, &index, err) < 0 ||
	    find(index, ref, digest, err) < 0 ||
	    remove_stamp(cas, digest, err) < 0)
		return -1;
	cx_catalogue_remove(index, digest);
	if (needed(cas, index, keep, err) < 0 ||
	    cx_catalogue_write(cas, index, err) < 0 ||
	    repoint(cas, index, digest, err) < 0 ||
	    sweep(cas->roots_fd, keep, err) < 0 ||
	    sweep(cas->blobs_fd, keep, err) < 0)
		return -1;
	memcpy(ret_digest, digest, sizeof digest);
	return 0;
}
