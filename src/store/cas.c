/* cas.c - see cas.h. */
#include "store/cas.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "store/lock.h"

#define LAYOUT "{\"imageLayoutVersion\":\"1.0.0\"}"

enum { METADATA_MAX_BYTES = 8 * 1024 * 1024 };

static int make_folder(int dir_fd, const char *name, mode_t mode, int *ret_fd,
                       struct cx_err *err)
{
	if (mkdirat(dir_fd, name, mode) == 0) {
		/* whatever the umask, others may read a store, never write */
		if (fchmodat(dir_fd, name, mode, 0) < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "chmod %s", name);
	} else if (errno != EEXIST) {
		return cx_err_sys(err, CX_E_IO_ERROR, "make %s", name);
	}
	*ret_fd = cx_path_open(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (*ret_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s", name);
	return 0;
}

static int make_layout(struct cx_cas *cas, struct cx_err *err)
{
	CX_AUTO_FD int blobs = -1;

	if (make_folder(cas->oci_fd, "blobs", 0755, &blobs, err) < 0 ||
	    make_folder(blobs, "sha256", 0755, &cas->blobs_fd, err) < 0 ||
	    make_folder(cas->roots_fd, ".tmp", 0700, &cas->tmp_fd, err) < 0)
		return -1;
	if (faccessat(cas->oci_fd, "oci-layout", F_OK, 0) == 0)
		return 0;
	return cx_fd_replace(cas->oci_fd, "oci-layout", LAYOUT,
	                     sizeof LAYOUT - 1, 0644, err);
}

/* A draft whose lease can be had belongs to a dead process. */
static void remove_if_dead(int tmp_fd, const char *name)
{
	struct cx_err unused;
	CX_AUTO_FD int lease = -1;
	struct stat what;
	int got;

	if (fstatat(tmp_fd, name, &what, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	got = S_ISDIR(what.st_mode)
		? cx_lock_folder(tmp_fd, name, CX_LOCK_EXCLUSIVE, false,
		                 &lease, &unused)
		: cx_lock_take(tmp_fd, name, CX_LOCK_EXCLUSIVE, false, &lease,
		               &unused);
	if (got == 0)
		cx_path_remove(tmp_fd, name);
}

/* Half a replacement of cx_fd_replace: only who has the lock makes them. */
static void remove_if_half(int dir_fd, const char *name)
{
	if (name[0] == '.' && strlen(name) > sizeof ".tmp" &&
	    cx_str_ends(name, ".tmp"))
		unlinkat(dir_fd, name, 0);
}

static void each_name(int dir_fd, void (*act)(int dir_fd, const char *name))
{
	DIR *folder = cx_path_list(dir_fd);
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (cx_path_name(entry->d_name))
			act(dir_fd, entry->d_name);
	closedir(folder);
}

int cx_cas_open(const struct cx_state *state, struct cx_cas *ret,
                struct cx_err *err)
{
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;
	CX_AUTO_FD int lock = -1;

	if (cx_state_folder(state, CX_STATE_OCI, &cas.oci_fd, err) < 0 ||
	    cx_state_folder(state, CX_STATE_ROOTS, &cas.roots_fd, err) < 0 ||
	    cx_cas_lock(&cas, &lock, err) < 0 || make_layout(&cas, err) < 0)
		return -1;
	each_name(cas.tmp_fd, remove_if_dead);
	each_name(cas.roots_fd, remove_if_half);
	each_name(cas.oci_fd, remove_if_half);
	*ret = cas;
	cas = CX_CAS_NONE;
	return 0;
}

int cx_cas_peek(const struct cx_state *state, struct cx_cas *ret,
                struct cx_err *err)
{
	CX_AUTO_CAS struct cx_cas cas = CX_CAS_NONE;

	if (cx_state_peek(state, CX_STATE_OCI, &cas.oci_fd, err) < 0 ||
	    cx_state_peek(state, CX_STATE_ROOTS, &cas.roots_fd, err) < 0)
		return -1;
	if (cas.oci_fd >= 0)
		cas.blobs_fd = cx_path_open(cas.oci_fd, "blobs/sha256",
		                            O_RDONLY | O_DIRECTORY, 0);
	*ret = cas;
	cas = CX_CAS_NONE;
	return 0;
}

void cx_cas_done(struct cx_cas *cas)
{
	cx_fd_close_at(&cas->oci_fd);
	cx_fd_close_at(&cas->blobs_fd);
	cx_fd_close_at(&cas->roots_fd);
	cx_fd_close_at(&cas->tmp_fd);
}

int cx_cas_lock(const struct cx_cas *cas, int *ret_fd, struct cx_err *err)
{
	return cx_lock_take(cas->oci_fd, ".lock", CX_LOCK_EXCLUSIVE, true,
	                    ret_fd, err);
}

int cx_cas_index(const struct cx_cas *cas, json_t **ret_index,
                 struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (cx_fd_load(cas->oci_fd, "index.json", METADATA_MAX_BYTES, &text,
	               err) < 0) {
		if (err->sys != ENOENT)
			return -1;
		*ret_index = json_pack(
			"{s:i, s:s, s:[]}", "schemaVersion", 2, "mediaType",
			"application/vnd.oci.image.index.v1+json", "manifests");
		return 0;
	}
	if (cx_json_parse(text.data, text.size, "oci/index.json", ret_index,
	                  err) < 0)
		return -1;
	if (json_is_array(json_object_get(*ret_index, "manifests")))
		return 0;
	json_decref(*ret_index);
	return cx_err_set(err, CX_E_LAYER_CORRUPT,
	                  "oci/index.json has no list of manifests");
}

json_t *cx_cas_find(const json_t *index, const char *digest)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(index, "manifests"), i, entry) {
		const char *own = cx_json_text(entry, "digest");

		if (own && cx_str_same(own, digest))
			return entry;
	}
	return NULL;
}

int cx_cas_load(const struct cx_cas *cas, const char *digest, size_t max,
                struct cx_buf *ret, struct cx_err *err)
{
	struct cx_digest wanted, got;

	if (!cx_digest_parse(digest, &wanted))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "%.80s is no sha256 digest", digest);
	if (cx_fd_load(cas->blobs_fd, digest + 7, max, ret, err) < 0)
		return cx_err_wrap(err, "blob");
	cx_digest_of(ret->data, ret->size, &got);
	if (!cx_digest_same(&wanted, &got))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "blob %s doesn't have its digest", digest);
	return 0;
}

int cx_cas_json(const struct cx_cas *cas, const char *digest,
                json_t **ret_value, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (cx_cas_load(cas, digest, METADATA_MAX_BYTES, &text, err) < 0)
		return -1;
	return cx_json_parse(text.data, text.size, digest, ret_value, err);
}
