/* rootfs.c - see rootfs.h. */
#include "build/rootfs.h"

#include "base/interrupt.h"
#include "build/single.h"
#include "store/deflate.h"
#include "store/tar.h"

static int compress(const void *data, size_t size, void *context,
                    struct cx_err *err)
{
	if (cx_interrupt_check(err) < 0)
		return -1;
	return cx_deflate_add(context, data, size, err);
}

static int unpack(const struct cx_cas *cas, int fd, struct cx_single *single,
                  struct cx_err *err)
{
	static const struct cx_tar_order order = { .layer = false };
	CX_AUTO_DEFLATE struct cx_deflate deflate = CX_DEFLATE_NONE;
	CX_AUTO_INFLATE struct cx_inflate inflate = {
		.fd = fd, .tap_out = compress, .tap_out_context = &deflate,
	};

	if (cx_draft_start(cas, INT64_MAX, &single->draft, err) < 0 ||
	    cx_blob_start(cas, &single->layer, err) < 0 ||
	    cx_deflate_start(&single->layer, &deflate, err) < 0 ||
	    cx_inflate_start(&inflate, err) < 0 ||
	    cx_tar_unpack(&inflate, &order, &single->draft, err) < 0 ||
	    cx_inflate_end(&inflate, &single->packed.diff_id,
	                   &single->packed.bytes, err) < 0 ||
	    cx_deflate_end(&deflate, err) < 0 ||
	    cx_blob_end(&single->layer, err) < 0)
		return -1;
	return cx_draft_settle(&single->draft, err);
}

static int check(const struct cx_single *single, struct cx_err *err)
{
	if (single->draft.list.count < 2)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "the archive is empty: no root file system "
		                  "stands in it");
	return 0;
}

int cx_rootfs_take(const struct cx_cas *cas, int fd,
                   const struct cx_import *import,
                   char ret_digest[CX_DIGEST_TEXT], struct cx_err *err)
{
	CX_AUTO_SINGLE struct cx_single single = CX_SINGLE_NONE;
	const struct cx_single_facts facts = {
		.name = import->name ? import->name : "imported",
		.made_by = "cx-build l0 --import",
	};

	cx_progress_say(import->progress, "unpacking the root file system");
	if (unpack(cas, fd, &single, err) < 0 || check(&single, err) < 0 ||
	    cx_single_publish(cas, &single, &facts, err) < 0)
		return -1;
	cx_digest_text(&single.manifest.digest, ret_digest);
	return 0;
}
