/* cx-build - makes base images and the layers on them. */
#include "base/count.h"
#include "base/interrupt.h"
#include "build/l0.h"
#include "build/listing.h"
#include "cli/io.h"
#include "cli/ticker.h"

struct l0_args {
	const char *file, *import, *name, *digest, *mirror, *registry;
	bool refresh;
};

static const struct cx_opt l0_opt[] = {
	CX_PATH(struct l0_args, file, "file", 'f', "FILE",
	        "Make the base that this recipe describes"),
	CX_PATH(struct l0_args, import, "import", 0, "PATH",
	        "Take an OCI image layout or a root file system's tar"),
	CX_TEXT(struct l0_args, name, "name", 0, "NAME",
	        "Call the imported image NAME"),
	CX_TEXT(struct l0_args, digest, "digest", 0, "DIGEST",
	        "Take the image of this digest from a layout with several"),
	CX_FLAG(struct l0_args, refresh, "refresh", 0,
	        "Make it anew even when the store has it already"),
	CX_TEXT(struct l0_args, mirror, "mirror", 0, "ADDRESS",
	        "Take Debian from here, not from where apt takes it"),
	CX_TEXT(struct l0_args, registry, "registry", 0, "ADDRESS",
	        "Take npm from here, not from where npm takes packages"),
};

static int run_l0(struct cx_cli *cli, void *data)
{
	const struct l0_args *args = data;
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_ticker ticker;
	struct cx_progress progress = { NULL, &ticker };
	const struct cx_l0_order order = {
		.shipped = cli->rest_count ? cli->rest[0] : NULL,
		.recipe = args->file, .import = args->import,
		.name = args->name, .digest = args->digest,
		.mirror = args->mirror, .registry = args->registry,
		.refresh = args->refresh, .progress = &progress,
	};
	struct cx_err err = { 0 };
	int status;

	if (cx_ticker_start(cli->tool->name, &ticker))
		progress.say = cx_ticker_say;
	status = cx_l0_make(&order, &document, &err);
	cx_ticker_end(&ticker);
	status = status < 0 ? cx_io_fail(cli, &err)
	                    : cx_io_write(cli, document);
	/* what came meanwhile ends us now, with all cleaned up */
	cx_interrupt_release();
	return status;
}

static int run_list(struct cx_cli *cli, void *data)
{
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_err err = { 0 };

	(void)data;
	if (cx_listing_all(&document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
}

static int run_rm(struct cx_cli *cli, void *data)
{
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_err err = { 0 };

	(void)data;
	if (cx_listing_remove(cli->rest[0], &document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
}

/* Those that are shipped, for completion. */
#define RECIPES "echo busybox; echo debian-12; echo debian-13; " \
	"echo toolchains"

static const struct cx_cmd verbs[] = {
	{ .name = "l0", .about = "Make a base image, or choose a made one",
	  .operands = "[NAME]", .operands_max = 1,
	  .operands_from = RECIPES,
	  .opt = l0_opt,
	  .opt_count = CX_COUNT(l0_opt), .args_size = sizeof(struct l0_args),
	  .writes = &cx_listing_l0_shape, .run = run_l0 },
	{ .name = "list", .about = "Show the images in the store",
	  .writes = &cx_listing_shape, .run = run_list },
	{ .name = "rm", .about = "Remove an image from the store",
	  .operands = "IMAGE", .operands_min = 1, .operands_max = 1,
	  .operands_from = "cx-build list 2>/dev/null | "
	  "jq -r \".images[] | .digest, .ref // empty\" | sort -u",
	  .writes = &cx_listing_removed_shape, .run = run_rm },
};

const struct cx_tool cx_tool = {
	.name = "cx-build",
	.about = "makes the base images that commands run on",
	.cmd = verbs,
	.cmd_count = CX_COUNT(verbs),
};
