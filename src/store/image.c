/* image.c - see image.h. */
#include "store/image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"
#include "store/stamp.h"
#include "store/state.h"

#define MAKE_ONE "make one with: cx-build l0"

static bool parts_are_plain(const char *ref)
{
	const char *at = ref;

	for (;;) {
		size_t length = strcspn(at, "/");

		if (length == 0 || (length == 1 && at[0] == '.') ||
		    (length == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		if (at[length] == '\0')
			return true;
		at += length + 1;
	}
}

static bool ref_is_safe(const char *ref)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                          "abcdefghijklmnopqrstuvwxyz"
	                          "0123456789._:/@+-";

	return ref[0] != '-' && strlen(ref) <= 255 && cx_str_only(ref, set) &&
	       parts_are_plain(ref);
}

int cx_image_ref_check(const char *ref, struct cx_err *err)
{
	if (!CX_PROMISE(image_ref_safe, ref_is_safe(ref)))
		return cx_err_set(err, CX_E_UNSAFE_IMAGE_REF,
		                  "an image reference may not begin with a "
		                  "dash and holds only letters, digits and "
		                  "._:/@+-; give the digest that cx-build list "
		                  "shows");
	return 0;
}

/* A file of a line or two in roots/; -1 with errno. */
static ssize_t read_small(int fd, char *ret, size_t size)
{
	ssize_t n = cx_fd_read(fd, ret, size - 1);

	if (n >= 0)
		ret[n] = '\0';
	return n;
}

/* What ref means in this store: 0 and the digest, or -1 when nothing. */
static int find_digest(int roots_fd, const char *ref,
                       struct cx_digest *ret_digest)
{
	char name[280], text[CX_DIGEST_TEXT + 8];
	CX_AUTO_FD int fd = -1;

	if (cx_digest_parse(ref, ret_digest))
		return 0;
	if (!cx_path_name(ref))
		return -1;
	snprintf(name, sizeof name, "%s.ref", ref);
	fd = cx_path_open(roots_fd, name, O_RDONLY, 0);
	if (fd < 0 || read_small(fd, text, sizeof text) <= 0)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	return cx_digest_parse(text, ret_digest) ? 0 : -1;
}

/*
 * The lease. A remover takes the stamp's lock exclusively and unlinks the stamp
 * first, so whoever gets the lock and still finds the name is safe. In a store
 * that others may read anybody can hold the lock: there a refused lease must
 * not stop a run.
 */
static int take_lease(int roots_fd, const char *name, bool shared,
                      struct cx_image *image, struct cx_err *err)
{
	struct stat held, named;

	if (flock(image->lease_fd, LOCK_SH | LOCK_NB) < 0) {
		if (!shared)
			return cx_err_set(err, CX_E_STORE_BUSY,
			                  "the image is being removed; try "
			                  "again");
		cx_fd_close_at(&image->lease_fd);
		return 0;
	}
	if (fstat(image->lease_fd, &held) < 0 ||
	    fstatat(roots_fd, name, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
	    held.st_ino != named.st_ino)
		return cx_err_set(err, CX_E_IMAGE_MISSING,
		                  "the image was just removed; " MAKE_ONE);
	return 0;
}

static int open_layers(int roots_fd, const char *text, struct cx_image *image,
                       struct cx_err *err)
{
	struct cx_stamp_line line;

	if (cx_stamp_head(&text) < 0)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "the image's stamp can't be read; make it "
		                  "again with: cx-build l0 --refresh");
	while (*text) {
		struct cx_image_layer *layer;

		if (image->layer_count == CX_IMAGE_LAYERS_MAX ||
		    cx_stamp_read(&text, &line) < 0)
			return cx_err_set(err, CX_E_LAYER_CORRUPT,
			                  "the image's stamp can't be read; "
			                  "make it again with: cx-build l0 "
			                  "--refresh");
		image->layer = cx_mem_grow(image->layer,
		                           image->layer_count + 1,
		                           sizeof *layer);
		layer = &image->layer[image->layer_count];
		layer->root_fd = cx_stamp_open(roots_fd, &line, err);
		if (layer->root_fd < 0)
			return -1;
		image->layer_count++;
		cx_digest_text(&line.diff_id, layer->diff_id);
	}
	return image->layer_count ? 0 : cx_err_set(err, CX_E_LAYER_CORRUPT,
	                                           "the image has no layer");
}

/* 0 found, 1 not in this store, -1 failed. */
static int open_in(const struct cx_state *state, bool shared, const char *ref,
                   struct cx_image *image, struct cx_err *err)
{
	char name[CX_STAMP_NAME];
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int roots_fd = -1;
	struct cx_digest digest;

	roots_fd = cx_path_open(state->fd, "roots", O_PATH | O_DIRECTORY, 0);
	if (roots_fd < 0 || find_digest(roots_fd, ref, &digest) < 0)
		return 1;
	cx_stamp_name(&digest, name);
	image->lease_fd = cx_path_open(roots_fd, name, O_RDONLY, 0);
	if (image->lease_fd < 0)
		return 1;
	if (cx_fd_slurp(image->lease_fd, CX_STAMP_MAX, "the image's stamp",
	                &text, err) < 0)
		return -1;
	image->shared = shared;
	cx_digest_text(&digest, image->digest);
	if (open_layers(roots_fd, text.data, image, err) < 0)
		return -1;
	return take_lease(roots_fd, name, shared, image, err);
}

static int missing(const char *ref, struct cx_err *err)
{
	if (!ref)
		return cx_err_set(err, CX_E_IMAGE_MISSING,
		                  "there is no base image yet; " MAKE_ONE);
	return cx_err_set(err, CX_E_IMAGE_MISSING,
	                  "no image %s in the store (cx-build list shows what "
	                  "is there); " MAKE_ONE, ref);
}

int cx_image_open(const struct cx_state *state, const struct cx_state *shared,
                  const char *ref, struct cx_image *ret, struct cx_err *err)
{
	const struct cx_state *store[] = { state, shared };
	CX_AUTO_IMAGE struct cx_image image = CX_IMAGE_EMPTY;

	if (ref && cx_image_ref_check(ref, err) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		int found;

		if (!store[i] || store[i]->fd < 0)
			continue;
		found = open_in(store[i], i > 0, ref ? ref : CX_STAMP_DEFAULT,
		                &image, err);
		if (found < 0)
			return -1;
		if (found == 0) {
			*ret = image;
			image = CX_IMAGE_EMPTY;
			return 0;
		}
	}
	return missing(ref, err);
}

void cx_image_done(struct cx_image *image)
{
	for (size_t i = 0; i < image->layer_count; i++)
		cx_fd_close_at(&image->layer[i].root_fd);
	cx_fd_close_at(&image->lease_fd);
	free(image->layer);
	*image = CX_IMAGE_EMPTY;
}
