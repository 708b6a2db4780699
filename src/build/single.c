/* single.c - see single.h. */
#include "build/single.h"

#include "base/interrupt.h"
#include "base/mem.h"
#include "box/made.h"
#include "build/oci.h"
#include "store/edition.h"

static int put(const struct cx_cas *cas, struct cx_single *single,
               const char *name, struct cx_err *err)
{
	struct cx_edition *edition = cx_mem_new(sizeof *edition);
	int status;

	edition->blob[0] = &single->layer;
	edition->blob[1] = &single->config;
	edition->blob[2] = &single->manifest;
	edition->blob_count = 3;
	edition->layer[0].diff_id = single->packed.diff_id;
	edition->layer[0].draft = &single->draft;
	edition->layer_count = 1;
	edition->descriptor = single->descriptor;
	edition->name = name;
	status = cx_edition_put(cas, edition, err);
	free(edition);
	return status;
}

int cx_single_publish(const struct cx_cas *cas, struct cx_single *single,
                      const struct cx_single_facts *facts, struct cx_err *err)
{
	const struct cx_oci_image image = {
		.diff_id = single->packed.diff_id, .layer = &single->layer,
		.epoch = facts->epoch, .name = facts->name,
		.recipe = facts->recipe, .made_by = facts->made_by,
	};

	if (cx_oci_make(cas, &image, &single->config, &single->manifest,
	                &single->descriptor, err) < 0 ||
	    cx_interrupt_check(err) < 0)
		return -1;
	/* first: a user who may only read this store, and finds an image there,
	 * would make the layer that all sandboxes share in each run */
	if (cx_made_publish(cas->roots_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "make the layer that all sandboxes share");
	return put(cas, single, facts->name, err);
}

void cx_single_done(struct cx_single *single)
{
	json_decref(single->descriptor);
	cx_blob_done(&single->manifest);
	cx_blob_done(&single->config);
	cx_blob_done(&single->layer);
	cx_draft_done(&single->draft);
	*single = CX_SINGLE_NONE;
}
