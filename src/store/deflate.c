/* deflate.c - see deflate.h. */
#include "store/deflate.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

static la_ssize_t into_blob(struct archive *archive, void *context,
                            const void *data, size_t size)
{
	struct cx_deflate *deflate = context;

	if (cx_blob_add(deflate->blob, data, size, deflate->err) == 0)
		return (la_ssize_t)size;
	archive_set_error(archive, deflate->err->sys, "%s",
	                  deflate->err->text);
	return -1;
}

/* What the callback reported is the truth; else libarchive's own words. */
static int failed(struct cx_deflate *deflate, struct cx_err *err)
{
	if (err->code == CX_E_NONE)
		cx_err_set(err, CX_E_IO_ERROR, "compress: %s",
		           archive_error_string(deflate->archive));
	return -1;
}

static int open_frame(struct cx_deflate *deflate)
{
	struct archive *archive = deflate->archive;
	struct archive_entry *entry;
	int done;

	if (archive_write_set_format_raw(archive) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(archive) != ARCHIVE_OK ||
	    archive_write_set_filter_option(archive, "zstd",
	                                    "compression-level", "3") !=
	    ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK ||
	    archive_write_open(archive, deflate, NULL, into_blob, NULL) !=
	    ARCHIVE_OK)
		return -1;
	entry = archive_entry_new();
	if (!entry)
		return -1;
	archive_entry_set_filetype(entry, AE_IFREG);
	done = archive_write_header(archive, entry);
	archive_entry_free(entry);
	return done == ARCHIVE_OK ? 0 : -1;
}

int cx_deflate_start(struct cx_blob *blob, struct cx_deflate *ret,
                     struct cx_err *err)
{
	err->code = CX_E_NONE;
	*ret = (struct cx_deflate){ archive_write_new(), blob, err };
	if (!ret->archive)
		return cx_err_set(err, CX_E_INTERNAL, "no archive writer");
	return open_frame(ret) < 0 ? failed(ret, err) : 0;
}

int cx_deflate_add(struct cx_deflate *deflate, const void *data, size_t size,
                   struct cx_err *err)
{
	err->code = CX_E_NONE;
	deflate->err = err;
	if (archive_write_data(deflate->archive, data, size) !=
	    (la_ssize_t)size)
		return failed(deflate, err);
	return 0;
}

int cx_deflate_end(struct cx_deflate *deflate, struct cx_err *err)
{
	err->code = CX_E_NONE;
	deflate->err = err;
	if (archive_write_close(deflate->archive) != ARCHIVE_OK)
		return failed(deflate, err);
	return 0;
}

void cx_deflate_done(struct cx_deflate *deflate)
{
	struct cx_err unused = { 0 };

	if (!deflate->archive)
		return;
	deflate->err = &unused;
	archive_write_free(deflate->archive);
	deflate->archive = NULL;
}
