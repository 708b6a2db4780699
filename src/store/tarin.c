/* tarin.c - see tarin.h. */
#include "store/tarin.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/digest.h"
#include "store/descent.h"
#include "store/sparsemap.h"
#include "store/tarhead.h"
#include "store/tarout.h"

enum { CHUNK_BYTES = 256 * 1024 };

struct in {
	int fd;
	const struct cx_tarin_rule *rule;
	json_t *files;
	struct cx_descent descent;
	struct cx_extent made;
	uint64_t bytes, members;
	char *buffer;
	struct cx_digest_stream digest;
};

static json_t *list(struct in *in, const char *path, const char *type)
{
	json_t *file = json_object();

	cx_json_set_bytes(file, "path", path, strlen(path));
	json_object_set_new(file, "type", json_string(type));
	json_array_append_new(in->files, file);
	return file;
}

static int fault(struct cx_err *err, const char *path)
{
	return cx_err_sys(err, CX_E_IO_ERROR, "make %.300s", path);
}

static int count(struct in *in, uint64_t bytes, struct cx_err *err)
{
	in->bytes += bytes;
	in->made.kib = (in->bytes + 1023) / 1024;
	in->made.inodes = in->members + in->descent.made;
	if (!cx_extent_is_over(&in->made, &in->rule->max))
		return 0;
	return cx_err_set(err, CX_E_INPUT_INVALID, "the tar file holds more "
	                  "than a workspace may (%llu KiB, %llu files)",
	                  (unsigned long long)in->rule->max.kib,
	                  (unsigned long long)in->rule->max.inodes);
}

static int own(struct in *in, int folder, const char *name, const char *path,
               struct cx_err *err)
{
	if (in->rule->chown && fchownat(folder, name, in->rule->owner,
	                                in->rule->owner,
	                                AT_SYMLINK_NOFOLLOW) < 0)
		return fault(err, path);
	return 0;
}

/* Bytes from..to of the file come next in the archive. */
static int take_piece(struct in *in, int fd, uint64_t at, uint64_t size,
                      const char *path, struct cx_err *err)
{
	if (count(in, size, err) < 0)
		return -1;
	if (lseek(fd, (off_t)at, SEEK_SET) < 0)
		return fault(err, path);
	while (size > 0) {
		size_t step = size < CHUNK_BYTES ? (size_t)size : CHUNK_BYTES;

		if (cx_tarhead_read(in->fd, in->buffer, step, err) < 0)
			return -1;
		cx_digest_add(&in->digest, in->buffer, step);
		if (cx_fd_write(fd, in->buffer, step) < 0)
			return fault(err, path);
		size -= step;
	}
	return 0;
}

static void digest_hole(struct in *in, uint64_t size)
{
	memset(in->buffer, 0, CHUNK_BYTES);
	while (size > 0) {
		size_t step = size < CHUNK_BYTES ? (size_t)size : CHUNK_BYTES;

		cx_digest_add(&in->digest, in->buffer, step);
		size -= step;
	}
}

static int take_sparse(struct in *in, int fd, const struct cx_tarhead *head,
                       bool digest, struct cx_err *err)
{
	CX_AUTO_SPARSEMAP struct cx_sparsemap map = { 0 };
	uint64_t at = 0;

	if (cx_sparsemap_read(in->fd, head->size, head->real_size, &map,
	                      err) < 0)
		return -1;
	for (size_t i = 0; i < map.count; i++) {
		if (digest)
			digest_hole(in, map.piece[i].from - at);
		if (take_piece(in, fd, map.piece[i].from,
		               map.piece[i].to - map.piece[i].from,
		               head->path.data, err) < 0)
			return -1;
		at = map.piece[i].to;
	}
	if (digest)
		digest_hole(in, head->real_size - at);
	if (ftruncate(fd, (off_t)head->real_size) < 0)
		return fault(err, head->path.data);
	return 0;
}

static int take_padding(struct in *in, uint64_t size, struct cx_err *err)
{
	char zero[CX_TARBLOCK_BYTES];

	return cx_tarhead_read(in->fd, zero, cx_tarblock_padding(size), err);
}

static int take_content(struct in *in, int fd, const struct cx_tarhead *head,
                        json_t *file, struct cx_err *err)
{
	uint64_t size = head->sparse ? head->real_size : head->size;
	bool digest = size <= CX_TAROUT_DIGEST_MAX_BYTES;
	char text[CX_DIGEST_TEXT];
	struct cx_digest sum;

	cx_digest_start(&in->digest);
	if ((head->sparse ? take_sparse(in, fd, head, digest, err)
	                  : take_piece(in, fd, 0, head->size, head->path.data,
	                               err)) < 0 ||
	    take_padding(in, head->size, err) < 0)
		return -1;
	cx_digest_end(&in->digest, &sum);
	cx_digest_text(&sum, text);
	json_object_set_new(file, "size", json_integer((json_int_t)size));
	json_object_set_new(file, "sha256",
	                    digest ? json_string(text) : json_null());
	return 0;
}

/* What stands at the name goes, unless it is a folder. */
static int clear(int folder, const char *name, const char *path,
                 struct cx_err *err)
{
	if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == EISDIR || errno == EPERM)
		return cx_err_set(err, CX_E_UNSAFE_PATH, "%.300s: a folder "
		                  "stands there", path);
	return fault(err, path);
}

static int take_file(struct in *in, int folder, const char *name,
                     const struct cx_tarhead *head, struct cx_err *err)
{
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_OMIT }, { .tv_sec = (time_t)head->mtime },
	};
	const char *path = head->path.data;
	json_t *file = list(in, path, "file");
	CX_AUTO_FD int fd = -1;

	if (clear(folder, name, path, err) < 0)
		return -1;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	            O_CLOEXEC, 0600);
	if (fd < 0)
		return fault(err, path);
	if (take_content(in, fd, head, file, err) < 0 ||
	    own(in, folder, name, path, err) < 0)
		return -1;
	if (fchmod(fd, head->mode) < 0 || futimens(fd, times) < 0)
		return fault(err, path);
	return 0;
}

/* A folder is never closed to its owner: what it holds comes next. */
static int take_folder(struct in *in, int folder, const char *name,
                       const struct cx_tarhead *head, struct cx_err *err)
{
	const char *path = head->path.data;
	CX_AUTO_FD int fd = -1;
	bool made = mkdirat(folder, name, 0700) == 0;

	list(in, path, "folder");
	if (!made && errno != EEXIST)
		return fault(err, path);
	if (made && own(in, folder, name, path, err) < 0)
		return -1;
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	            O_CLOEXEC);
	if (fd < 0)
		return cx_err_set(err, CX_E_UNSAFE_PATH, "%.300s: a link or a "
		                  "file stands there", path);
	if (fchmod(fd, head->mode | 0700) < 0)
		return fault(err, path);
	return 0;
}

static int take_symlink(struct in *in, int folder, const char *name,
                        const struct cx_tarhead *head, struct cx_err *err)
{
	const char *path = head->path.data;
	json_t *file = list(in, path, "link");

	cx_json_set_bytes(file, "target", head->link.data,
	                  strlen(head->link.data));
	if (clear(folder, name, path, err) < 0)
		return -1;
	if (symlinkat(head->link.data, folder, name) < 0)
		return fault(err, path);
	return own(in, folder, name, path, err);
}

static int take_hardlink(struct in *in, const struct cx_tarhead *head,
                         struct cx_err *err)
{
	struct cx_descent to = { .top_fd = in->descent.top_fd, .fd = -1 };
	const char *path = head->path.data;
	const char *from_name, *name;
	int from, folder, done = -1;

	if (cx_descent_go(&in->descent, path, true, &folder, &name, err) == 0 &&
	    cx_descent_go(&to, head->link.data, false, &from, &from_name,
	                  err) == 0 &&
	    !cx_str_same(path, head->link.data) &&
	    clear(folder, name, path, err) == 0)
		done = linkat(from, from_name, folder, name, 0) < 0
		       ? fault(err, path) : 0;
	else if (cx_str_same(path, head->link.data))
		done = cx_err_set(err, CX_E_INPUT_INVALID, "%.300s: a link to "
		                  "itself", path);
	cx_descent_done(&to);
	cx_json_set_bytes(list(in, path, "hardlink"), "target",
	                  head->link.data, strlen(head->link.data));
	return done;
}

/* Bytes of a member that nothing is made of. */
static int pass_over(struct in *in, uint64_t size, struct cx_err *err)
{
	uint64_t left = size + cx_tarblock_padding(size);

	while (left > 0) {
		size_t step = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;

		if (cx_tarhead_read(in->fd, in->buffer, step, err) < 0)
			return -1;
		left -= step;
	}
	return 0;
}

static int take_member(struct in *in, const struct cx_tarhead *head,
                       struct cx_err *err)
{
	const char *name;
	int folder;

	in->members++;
	if (count(in, 0, err) < 0)
		return -1;
	switch (head->type) {
	case '1':
		return take_hardlink(in, head, err);
	case '3': case '4': case '6':
		list(in, head->path.data, head->type == '6' ? "pipe"
		                                            : "device");
		return pass_over(in, head->size, err);
	case '0': case '7': case '\0': case '2': case '5':
		break;
	default: /* of a character, not an enum */
		return cx_err_set(err, CX_E_INPUT_INVALID, "%.300s: a member "
		                  "of a kind that isn't known here",
		                  head->path.data);
	}
	if (cx_descent_go(&in->descent, head->path.data, true, &folder, &name,
	                  err) < 0 || count(in, 0, err) < 0)
		return -1;
	if (head->type == '2')
		return take_symlink(in, folder, name, head, err);
	if (head->type == '5')
		return take_folder(in, folder, name, head, err);
	return take_file(in, folder, name, head, err);
}

/* "./a/" is "a". False: there is a NUL in it, or it is too long. */
static bool tidy(struct cx_buf *path)
{
	size_t skip = 0;

	if (path->size > CX_TARIN_PATH_MAX || strlen(path->data) != path->size)
		return false;
	while (path->size > 1 && path->data[path->size - 1] == '/')
		path->data[--path->size] = '\0';
	while (cx_str_starts(path->data + skip, "./"))
		skip += 2;
	memmove(path->data, path->data + skip, path->size - skip + 1);
	path->size -= skip;
	return true;
}

static int take_all(struct in *in, struct cx_err *err)
{
	CX_AUTO_TARHEAD struct cx_tarhead head = { 0 };
	int got;

	while ((got = cx_tarhead_next(in->fd, &head, err)) > 0) {
		if (!tidy(&head.path) || !tidy(&head.link))
			return cx_err_set(err, CX_E_UNSAFE_PATH,
			                  "a path in the tar file has a NUL, "
			                  "or is over %d bytes",
			                  CX_TARIN_PATH_MAX);
		if (*head.path.data == '\0' || cx_str_same(head.path.data, "."))
			continue;
		if (take_member(in, &head, err) < 0)
			return -1;
	}
	return got;
}

int cx_tarin_read(int in_fd, int top_fd, const struct cx_tarin_rule *rule,
                  json_t *files, struct cx_err *err)
{
	struct in in = {
		.fd = in_fd,
		.rule = rule,
		.files = files,
		.descent = { .top_fd = top_fd, .fd = -1,
		             .chown = rule->chown, .owner = rule->owner },
	};
	int done;

	in.buffer = cx_mem_grow(NULL, CHUNK_BYTES, 1);
	done = take_all(&in, err);
	free(in.buffer);
	cx_descent_done(&in.descent);
	return done;
}
