/* tarpeek.c - see tarpeek.h. */
#include "store/tarpeek.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>

struct peek {
	struct cx_inflate *inflate;
	struct cx_err *err;
};

static la_ssize_t pull(struct archive *archive, void *context,
                       const void **ret_data)
{
	struct peek *peek = context;
	struct cx_err err;
	ssize_t n = cx_inflate_read(peek->inflate, ret_data, &err);

	if (n < 0) {
		*peek->err = err;
		archive_set_error(archive, EIO, "%s", err.text);
	}
	return n;
}

static int broken(struct archive *archive, struct cx_err *err)
{
	if (err->code == CX_E_NONE)
		cx_err_set(err, CX_E_LAYER_CORRUPT,
		           "the archive can't be read: %.200s",
		           archive_error_string(archive));
	return -1;
}

static int each(struct archive *archive, cx_tarpeek_visit *visit, void *context,
                struct cx_err *err)
{
	struct archive_entry *entry;
	int got;

	while ((got = archive_read_next_header(archive, &entry)) ==
	               ARCHIVE_OK || got == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);

		if (!visit(name ? name : "", context))
			return 0;
	}
	return got == ARCHIVE_EOF ? 0 : broken(archive, err);
}

int cx_tarpeek_each(struct cx_inflate *inflate, cx_tarpeek_visit *visit,
                    void *context, struct cx_err *err)
{
	struct peek peek = { inflate, err };
	struct archive *archive = archive_read_new();
	int status;

	if (!archive)
		return cx_err_set(err, CX_E_INTERNAL, "no archive reader");
	setlocale(LC_CTYPE, "C.UTF-8");
	err->code = CX_E_NONE;
	if (archive_read_support_format_tar(archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(archive) != ARCHIVE_OK ||
	    archive_read_open(archive, &peek, NULL, pull, NULL) != ARCHIVE_OK)
		status = broken(archive, err);
	else
		status = each(archive, visit, context, err);
	archive_read_free(archive);
	return status;
}
