/* inflate.c - see inflate.h. */
#include "store/inflate.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

#include "base/mem.h"
#include "base/promise.h"

enum { CHUNK = 256 * 1024 };

/* What no layer of a usable image reaches. */
#define BYTES_MAX ((uint64_t)64 << 30)

/* Text files swell tenfold, whole images three- to fivefold. Below the floor
 * any ratio may pass: it fits anywhere. */
#define RATIO_FLOOR ((uint64_t)256 << 20)
#define RATIO_MAX 100

static la_ssize_t pull(struct archive *archive, void *context,
                       const void **ret_data)
{
	struct cx_inflate *inflate = context;
	ssize_t n;

	do
		n = read(inflate->fd, inflate->chunk, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		cx_err_sys(inflate->err, CX_E_IO_ERROR, "read a layer");
	else if (n > 0 && inflate->tap_in &&
	         inflate->tap_in(inflate->chunk, (size_t)n,
	                         inflate->tap_in_context, inflate->err) < 0)
		n = -1;
	if (n < 0) {
		archive_set_error(archive, EIO, "reading failed");
		return -1;
	}
	inflate->in += (uint64_t)n;
	*ret_data = inflate->chunk;
	return n;
}

static int broken(struct cx_inflate *inflate, struct cx_err *err)
{
	const char *why = archive_error_string(inflate->archive);

	if (err->code == CX_E_NONE)
		cx_err_set(err, CX_E_LAYER_CORRUPT,
		           "the layer can't be decompressed: %.200s",
		           why ? why : "unknown form");
	return -1;
}

int cx_inflate_start(struct cx_inflate *inflate, struct cx_err *err)
{
	struct archive_entry *entry;
	int got;

	err->code = CX_E_NONE;
	inflate->err = err;
	inflate->archive = archive_read_new();
	inflate->chunk = cx_mem_new(CHUNK);
	if (inflate->bytes_max == 0)
		inflate->bytes_max = BYTES_MAX;
	cx_digest_start(&inflate->hash);
	if (!inflate->archive)
		return cx_err_set(err, CX_E_INTERNAL, "no archive reader");
	if (archive_read_support_filter_gzip(inflate->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_zstd(inflate->archive) != ARCHIVE_OK ||
	    archive_read_support_format_raw(inflate->archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(inflate->archive) != ARCHIVE_OK ||
	    archive_read_open(inflate->archive, inflate, NULL, pull, NULL) !=
	    ARCHIVE_OK)
		return broken(inflate, err);
	got = archive_read_next_header(inflate->archive, &entry);
	if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
		return broken(inflate, err);
	return 0;
}

static bool swells(const struct cx_inflate *inflate)
{
	return inflate->out > inflate->bytes_max ||
	       (inflate->out > RATIO_FLOOR &&
	        inflate->out / RATIO_MAX > inflate->in);
}

ssize_t cx_inflate_read(struct cx_inflate *inflate, const void **ret_data,
                        struct cx_err *err)
{
	size_t size = 0;
	int64_t offset;
	int got;

	err->code = CX_E_NONE;
	inflate->err = err;
	got = archive_read_data_block(inflate->archive, ret_data, &size,
	                              &offset);
	if (got == ARCHIVE_EOF)
		return 0;
	if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
		return broken(inflate, err);
	cx_digest_add(&inflate->hash, *ret_data, size);
	inflate->out += size;
	if (!CX_PROMISE(archive_swell_capped, !swells(inflate)))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "the layer swells from %llu bytes to more "
		                  "than %llu: that is a bomb",
		                  (unsigned long long)inflate->in,
		                  (unsigned long long)inflate->out);
	if (inflate->tap_out &&
	    inflate->tap_out(*ret_data, size, inflate->tap_out_context,
	                     err) < 0)
		return -1;
	return (ssize_t)size;
}

int cx_inflate_end(struct cx_inflate *inflate, struct cx_digest *ret_digest,
                   uint64_t *ret_bytes, struct cx_err *err)
{
	const void *data;
	ssize_t n;

	do
		n = cx_inflate_read(inflate, &data, err);
	while (n > 0);
	if (n < 0)
		return -1;
	cx_digest_end(&inflate->hash, ret_digest);
	*ret_bytes = inflate->out;
	return 0;
}

enum cx_inflate_form cx_inflate_form(const struct cx_inflate *inflate)
{
	int code = archive_filter_code(inflate->archive, 0);

	if (code == ARCHIVE_FILTER_GZIP)
		return CX_INFLATE_GZIP;
	return code == ARCHIVE_FILTER_ZSTD ? CX_INFLATE_ZSTD
	                                   : CX_INFLATE_PLAIN;
}

void cx_inflate_done(struct cx_inflate *inflate)
{
	struct cx_err unused;

	inflate->err = &unused;
	if (inflate->archive)
		archive_read_free(inflate->archive);
	free(inflate->chunk);
	inflate->archive = NULL;
	inflate->chunk = NULL;
}
