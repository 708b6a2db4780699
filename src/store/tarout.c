/* tarout.c - see tarout.h. */
#include "store/tarout.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/digest.h"
#include "store/names.h"
#include "store/pax.h"
#include "store/regular.h"
#include "store/tarblock.h"
#include "store/walk.h"

enum { CHUNK_BYTES = 256 * 1024, PIECES_MAX = 1 << 20 };

/* The largest size that an octal field holds. */
#define OCTAL_MAX ((1ULL << 33) - 1)

struct out {
	int fd;
	json_t *files;             /* NULL: no list is wanted */
	json_t *unlisted;          /* the entry at hand, without room */
	size_t listed_bytes;       /* of paths */
	bool truncated;
	struct cx_names names;     /* of files with several */
	char *buffer;
	struct cx_digest_stream digest;
};

/* One entry on its way. */
struct member {
	const struct cx_walk_entry *entry;
	char type;
	const char *link;          /* target, or "" */
	uint64_t size;             /* of what follows the header */
	bool sparse;
	struct cx_buf map;         /* GNU 1.0 */
	uint64_t data_bytes;       /* sparse: in its pieces */
};

static int write_all(struct out *out, const void *data, size_t size,
                     struct cx_err *err)
{
	if (cx_fd_write(out->fd, data, size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "write the tar file");
	return 0;
}

static int write_padding(struct out *out, uint64_t size, struct cx_err *err)
{
	static const char zero[CX_TARBLOCK_BYTES];

	return write_all(out, zero, cx_tarblock_padding(size), err);
}

static bool is_plain(const char *text, size_t max)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((signed char)text[i] < 0x20)
			return false;
	return length <= max;
}

static void add_records(const struct member *member, struct cx_buf *ret)
{
	const char *path = member->entry->path;

	if (!cx_str_utf8_all(path, strlen(path), NULL) ||
	    !cx_str_utf8_all(member->link, strlen(member->link), NULL))
		cx_pax_add(ret, "hdrcharset", "BINARY");
	if (member->sparse) {
		cx_pax_add(ret, "GNU.sparse.major", "1");
		cx_pax_add(ret, "GNU.sparse.minor", "0");
		cx_pax_add(ret, "GNU.sparse.name", path);
		cx_pax_add_number(ret, "GNU.sparse.realsize",
		           (uint64_t)member->entry->stat.st_size);
	} else if (!is_plain(path, 100)) {
		cx_pax_add(ret, "path", path);
	}
	if (!is_plain(member->link, 100))
		cx_pax_add(ret, "linkpath", member->link);
	if (member->size > OCTAL_MAX)
		cx_pax_add_number(ret, "size", member->size);
}

static int write_header(struct out *out, const struct member *member,
                        struct cx_err *err)
{
	const struct stat *stat = &member->entry->stat;
	CX_AUTO_BUF struct cx_buf records = { 0 };
	struct cx_tarblock block;
	uint64_t mtime = stat->st_mtime > 0 ? (uint64_t)stat->st_mtime : 0;

	add_records(member, &records);
	if (records.size) {
		cx_tarblock_make(&block, 'x', "PaxHeader", "", 0644,
		                 records.size, mtime);
		if (write_all(out, &block, sizeof block, err) < 0 ||
		    write_all(out, records.data, records.size, err) < 0 ||
		    write_padding(out, records.size, err) < 0)
			return -1;
	}
	cx_tarblock_make(&block, member->type,
	                 member->sparse ? "GNUSparseFile.0/file"
	                                : member->entry->path,
	                 member->link, stat->st_mode & 0777, member->size,
	                 mtime);
	return write_all(out, &block, sizeof block, err);
}

/* Borrowed. A chain of folders has paths that together grow with the square of
 * its depth: they are listed as far as there is room. */
static json_t *list(struct out *out, const struct cx_walk_entry *entry,
                    const char *type)
{
	size_t size = strlen(entry->path);
	json_t *file = json_object();

	if (!out->files || size > CX_TAROUT_LIST_MAX_BYTES -
	                          out->listed_bytes) {
		out->truncated = true;
		json_decref(out->unlisted);
		out->unlisted = file;
		return file;
	}
	out->listed_bytes += size;
	cx_json_set_bytes(file, "path", entry->path, strlen(entry->path));
	json_object_set_new(file, "type", json_string(type));
	json_array_append_new(out->files, file);
	return file;
}

/* Where the file holds data, as GNU tar 1.0 writes it in front. */
static int make_map(int fd, struct member *member, struct cx_err *err)
{
	uint64_t size = (uint64_t)member->entry->stat.st_size, at = 0;
	CX_AUTO_BUF struct cx_buf pieces = { 0 };
	struct cx_regular_piece piece;
	unsigned count = 0;
	int got;

	while ((got = cx_regular_next(fd, at, size, &piece)) > 0) {
		if (++count > PIECES_MAX)
			return cx_err_set(err, CX_E_IO_ERROR, "a file has "
			                  "over %d pieces", PIECES_MAX);
		cx_buf_print(&pieces, "%llu\n%llu\n",
		             (unsigned long long)piece.from,
		             (unsigned long long)(piece.to - piece.from));
		member->data_bytes += piece.to - piece.from;
		at = piece.to;
	}
	if (got < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read a file's holes");
	/* a hole at the end is told by an empty piece there */
	cx_buf_print(&member->map, "%u\n", count + 1);
	cx_buf_text(&member->map, pieces.data ? pieces.data : "");
	cx_buf_print(&member->map, "%llu\n0\n", (unsigned long long)size);
	while (member->map.size % CX_TARBLOCK_BYTES)
		cx_buf_byte(&member->map, '\0');
	member->size = member->map.size + member->data_bytes;
	return 0;
}

/* Bytes from..to of fd; what the file lacks by now is zeros. */
static int write_piece(struct out *out, int fd,
                       const struct cx_regular_piece *piece, bool digest,
                       struct cx_err *err)
{
	uint64_t at = piece->from;

	while (at < piece->to) {
		size_t step = piece->to - at < CHUNK_BYTES
		              ? (size_t)(piece->to - at) : CHUNK_BYTES;
		ssize_t n = pread(fd, out->buffer, step, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "read a file");
		if (n == 0)
			memset(out->buffer, 0, step);
		else
			step = (size_t)n;
		if (digest)
			cx_digest_add(&out->digest, out->buffer, step);
		if (write_all(out, out->buffer, step, err) < 0)
			return -1;
		at += step;
	}
	return 0;
}

static void digest_hole(struct out *out, uint64_t count)
{
	memset(out->buffer, 0, CHUNK_BYTES);
	while (count > 0) {
		size_t step = count < CHUNK_BYTES ? (size_t)count : CHUNK_BYTES;

		cx_digest_add(&out->digest, out->buffer, step);
		count -= step;
	}
}

/* The pieces that stand in the map: what the file has become meanwhile
 * doesn't count. */
static int write_pieces(struct out *out, int fd, const struct member *member,
                        bool digest, struct cx_err *err)
{
	const char *at = strchr(member->map.data, '\n') + 1;
	uint64_t size = (uint64_t)member->entry->stat.st_size, done = 0;

	while (done < size) {
		char *end;
		struct cx_regular_piece piece;

		piece.from = strtoull(at, &end, 10);
		piece.to = piece.from + strtoull(end + 1, &end, 10);
		at = end + 1;
		if (digest)
			digest_hole(out, piece.from - done);
		if (write_piece(out, fd, &piece, digest, err) < 0)
			return -1;
		done = piece.to;
		if (piece.from == piece.to)
			break;
	}
	return 0;
}

static int write_content(struct out *out, int fd, const struct member *member,
                         json_t *file, struct cx_err *err)
{
	uint64_t size = (uint64_t)member->entry->stat.st_size;
	bool digest = size <= CX_TAROUT_DIGEST_MAX_BYTES;
	const struct cx_regular_piece whole = { 0, size };
	char text[CX_DIGEST_TEXT];
	struct cx_digest sum;

	cx_digest_start(&out->digest);
	if (member->sparse) {
		if (write_all(out, member->map.data, member->map.size,
		              err) < 0 ||
		    write_pieces(out, fd, member, digest, err) < 0)
			return -1;
	} else if (write_piece(out, fd, &whole, digest, err) < 0) {
		return -1;
	}
	if (write_padding(out, member->size, err) < 0)
		return -1;
	cx_digest_end(&out->digest, &sum);
	cx_digest_text(&sum, text);
	json_object_set_new(file, "sha256",
	                    digest ? json_string(text) : json_null());
	return 0;
}

static void describe(json_t *file, const struct stat *stat)
{
	char mode[8];

	snprintf(mode, sizeof mode, "%04o", stat->st_mode & 0777U);
	json_object_set_new(file, "mode", json_string(mode));
	if (S_ISREG(stat->st_mode))
		json_object_set_new(file, "size", json_integer(stat->st_size));
}

static int write_open(struct out *out, int fd, struct member *member,
                      struct cx_err *err)
{
	const struct stat *stat = &member->entry->stat;
	json_t *file;

	member->type = '0';
	member->size = (uint64_t)stat->st_size;
	member->sparse = (uint64_t)stat->st_blocks * 512 + 4096 < member->size;
	if (member->sparse && make_map(fd, member, err) < 0)
		return -1;
	file = list(out, member->entry, "file");
	describe(file, stat);
	if (member->sparse)
		json_object_set_new(file, "sparse", json_true());
	return write_header(out, member, err) < 0 ? -1
	       : write_content(out, fd, member, file, err);
}

static int write_file(struct out *out, const struct cx_walk_entry *entry,
                      struct cx_err *err)
{
	struct cx_walk_entry now = *entry;
	CX_AUTO_FD int fd = cx_regular_open(now.folder_fd, now.name,
	                                    &now.stat);
	struct member member = { .entry = &now, .link = "" };
	int done;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ||
		       errno == EMEDIUMTYPE ? 0
		       : cx_err_sys(err, CX_E_IO_ERROR, "open a file");
	done = write_open(out, fd, &member, err);
	cx_buf_done(&member.map);
	return done;
}

static int write_link(struct out *out, const struct cx_walk_entry *entry,
                      char type, const char *name, const char *target,
                      struct cx_err *err)
{
	struct member member = { entry, .type = type, .link = target };

	cx_json_set_bytes(list(out, entry, name), "target", target,
	                  strlen(target));
	return write_header(out, &member, err);
}

static int write_symlink(struct out *out, const struct cx_walk_entry *entry,
                         struct cx_err *err)
{
	char target[4097];
	ssize_t n = readlinkat(entry->folder_fd, entry->name, target,
	                       sizeof target - 1);

	if (n < 0)
		return 0; /* gone, or another file by now */
	target[n] = '\0';
	return write_link(out, entry, '2', "link", target, err);
}

static const char *special(mode_t mode)
{
	return S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

static int write_entry(struct out *out, const struct cx_walk_entry *entry,
                       struct cx_err *err)
{
	struct member folder = { entry, .type = '5', .link = "" };
	const struct stat *stat = &entry->stat;
	const char *first = NULL;

	if (S_ISREG(stat->st_mode) && stat->st_nlink > 1 &&
	    cx_names_meet(&out->names, stat->st_ino, entry->path, &first) < 0)
		return cx_err_set(err, CX_E_IO_ERROR, "the workspace has too "
		                  "many files with several names");
	if (S_ISDIR(stat->st_mode)) {
		describe(list(out, entry, "folder"), stat);
		return write_header(out, &folder, err);
	}
	if (S_ISLNK(stat->st_mode))
		return write_symlink(out, entry, err);
	if (!S_ISREG(stat->st_mode)) {
		list(out, entry, special(stat->st_mode));
		return 0;
	}
	if (first)
		return write_link(out, entry, '1', "hardlink", first, err);
	return write_file(out, entry, err);
}

static int write_tree(struct out *out, int top_fd, struct cx_err *err)
{
	static const char end[2 * CX_TARBLOCK_BYTES];
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	int got;

	if (cx_walk_start(top_fd, true, &walk) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the workspace");
	while ((got = cx_walk_next(&walk, &entry)) > 0)
		if (entry.step != CX_WALK_LEAVE &&
		    write_entry(out, &entry, err) < 0)
			return -1;
	if (got < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "walk the workspace");
	return write_all(out, end, sizeof end, err);
}

int cx_tarout_write(int top_fd, int out_fd, json_t *files, bool *ret_truncated,
                    struct cx_err *err)
{
	struct out out = { .fd = out_fd, .files = files };
	int done;

	out.buffer = cx_mem_grow(NULL, CHUNK_BYTES, 1);
	done = write_tree(&out, top_fd, err);
	free(out.buffer);
	json_decref(out.unlisted);
	cx_names_done(&out.names);
	if (done == 0)
		*ret_truncated = out.truncated;
	return done;
}
