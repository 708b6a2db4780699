/* pack.c - see pack.h. */
#include "store/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "store/deflate.h"

enum { CHUNK = 256 * 1024 };

struct packer {
	int root_fd;
	struct archive *archive;
	struct cx_deflate deflate;
	struct cx_digest_stream hash;
	uint64_t bytes;
	struct cx_err *err;
	char *chunk;
};

static void free_packer(struct packer *packer)
{
	packer->err->code = CX_E_NONE;
	if (packer->archive)
		archive_write_free(packer->archive);
	cx_deflate_done(&packer->deflate);
	free(packer->chunk);
}

static la_ssize_t out(struct archive *archive, void *context, const void *data,
                      size_t size)
{
	struct packer *packer = context;

	cx_digest_add(&packer->hash, data, size);
	packer->bytes += size;
	if (cx_deflate_add(&packer->deflate, data, size, packer->err) == 0)
		return (la_ssize_t)size;
	archive_set_error(archive, packer->err->sys, "%s", packer->err->text);
	return -1;
}

static int failed(struct packer *packer, const char *path)
{
	if (packer->err->code == CX_E_NONE)
		cx_err_set(packer->err, CX_E_INTERNAL, "pack %.300s: %s", path,
		           archive_error_string(packer->archive));
	return -1;
}

static int start(struct packer *packer)
{
	packer->archive = archive_write_new();
	packer->chunk = cx_mem_new(CHUNK);
	cx_digest_start(&packer->hash);
	if (packer->archive &&
	    archive_write_set_format_pax_restricted(packer->archive) ==
	    ARCHIVE_OK &&
	    archive_write_add_filter_none(packer->archive) == ARCHIVE_OK &&
	    archive_write_set_bytes_per_block(packer->archive, CHUNK) ==
	    ARCHIVE_OK &&
	    archive_write_set_bytes_in_last_block(packer->archive, 1) ==
	    ARCHIVE_OK &&
	    archive_write_open(packer->archive, packer, NULL, out, NULL) ==
	    ARCHIVE_OK)
		return 0;
	return failed(packer, "the layer");
}

static void describe(struct archive_entry *header, const struct cx_entry *entry)
{
	CX_AUTO_FREE char *path = cx_mem_print(
		"%s%s", entry->path[0] ? entry->path : "./",
		entry->path[0] && S_ISDIR(entry->mode) ? "/" : "");

	archive_entry_clear(header);
	archive_entry_set_pathname(header, path);
	archive_entry_set_filetype(header, (unsigned)(entry->mode & S_IFMT));
	archive_entry_set_perm(header, entry->mode & 07777);
	archive_entry_set_uid(header, entry->uid);
	archive_entry_set_gid(header, entry->gid);
	archive_entry_set_mtime(header, (time_t)entry->mtime, 0);
	archive_entry_set_size(header, 0);
	if (entry->hard)
		archive_entry_set_hardlink(header, entry->link);
	else if (entry->link)
		archive_entry_set_symlink(header, entry->link);
	else if (S_ISREG(entry->mode))
		archive_entry_set_size(header, (int64_t)entry->size);
}

static int copy_bytes(struct packer *packer, const struct cx_entry *entry)
{
	CX_AUTO_FD int fd = cx_path_open(packer->root_fd, entry->path,
	                                 O_RDONLY | O_NOFOLLOW, 0);
	uint64_t left = entry->size;

	if (fd < 0)
		return cx_err_sys(packer->err, CX_E_IO_ERROR, "open %.300s",
		                  entry->path);
	while (left > 0) {
		size_t step = left < CHUNK ? (size_t)left : CHUNK;

		if (cx_fd_read(fd, packer->chunk, step) != (ssize_t)step)
			return cx_err_set(packer->err, CX_E_IO_ERROR,
			                  "%.300s changed while it was packed",
			                  entry->path);
		if (archive_write_data(packer->archive, packer->chunk, step) !=
		    (la_ssize_t)step)
			return failed(packer, entry->path);
		left -= step;
	}
	return 0;
}

static int add(struct packer *packer, struct archive_entry *header,
               const struct cx_entries *list, const struct cx_entry *entry)
{
	int done;

	if (entry->hard && !cx_entry_find(list, entry->link))
		return cx_err_set(packer->err, CX_E_LAYER_CORRUPT,
		                  "%.300s is a second name of what was left "
		                  "out", entry->path);
	describe(header, entry);
	done = archive_write_header(packer->archive, header);
	/* a warning is a header that stands (a name that isn't UTF-8) */
	if (done != ARCHIVE_OK && done != ARCHIVE_WARN)
		return failed(packer, entry->path);
	if (entry->link || !S_ISREG(entry->mode))
		return 0;
	return copy_bytes(packer, entry);
}

static int add_all(struct packer *packer, const struct cx_entries *list)
{
	struct archive_entry *header = archive_entry_new();
	int status = header ? 0 : failed(packer, "the layer");

	for (size_t i = 0; status == 0 && i < list->count; i++)
		status = add(packer, header, list, &list->entry[i]);
	archive_entry_free(header);
	if (status == 0 && archive_write_close(packer->archive) != ARCHIVE_OK)
		status = failed(packer, "the layer");
	return status;
}

static int write_all(struct packer *packer, const struct cx_entries *list,
                     struct cx_blob *blob)
{
	if (cx_deflate_start(blob, &packer->deflate, packer->err) < 0 ||
	    start(packer) < 0 || add_all(packer, list) < 0)
		return -1;
	return cx_deflate_end(&packer->deflate, packer->err);
}

int cx_pack_write(int root_fd, const struct cx_entries *list,
                  struct cx_blob *blob, struct cx_packed *ret,
                  struct cx_err *err)
{
	struct packer packer = { .root_fd = root_fd, .err = err,
	                         .deflate = CX_DEFLATE_NONE };
	struct cx_err unused = { 0 };
	int status;

	/* libarchive translates names by the locale: in "C" it stops at the
	 * first that isn't ASCII */
	setlocale(LC_CTYPE, "C.UTF-8");
	err->code = CX_E_NONE;
	status = write_all(&packer, list, blob);
	packer.err = &unused;
	if (status == 0) {
		cx_digest_end(&packer.hash, &ret->diff_id);
		ret->bytes = packer.bytes;
	}
	free_packer(&packer);
	return status;
}
