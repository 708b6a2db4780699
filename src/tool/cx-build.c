/* cx-build - makes base images and the layers on them. */
#include "base/count.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "build/l0.h"
#include "build/listing.h"
#include "build/recipe.h"
#include "cli/io.h"
#include "cli/ticker.h"

#define DEFAULT_RECIPE "debian-13"

struct l0_args {
	const char *file, *import, *name, *digest, *mirror, *registry;
	bool refresh;
};

static const struct cx_opt l0_opt[] = {
	CX_PATH(struct l0_args, file, "file", 'f', "FILE",
	        "Make the base that this recipe describes"),
	CX_FLAG(struct l0_args, refresh, "refresh", 0,
	        "Make it anew even when the store has it already"),
	CX_TEXT(struct l0_args, mirror, "mirror", 0, "ADDRESS",
	        "Take Debian from here, not from where apt takes it"),
	CX_TEXT(struct l0_args, registry, "registry", 0, "ADDRESS",
	        "Take npm from here, not from where npm takes packages"),
};

/* The recipe's path: -f, or one that is shipped; owned. */
static char *recipe_path(const struct cx_cli *cli, const struct l0_args *args,
                         struct cx_err *err)
{
	const char *name = cli->rest_count ? cli->rest[0] : DEFAULT_RECIPE;
	char *path;

	if (args->file && cli->rest_count) {
		cx_err_set(err, CX_E_USAGE,
		           "give a name or -f FILE, not both");
		return NULL;
	}
	if (args->file)
		return cx_mem_text(args->file);
	path = strchr(name, '/') ? NULL : cx_recipe_shipped(name);
	if (!path)
		cx_err_missing(err, name);
	return path;
}

/* Interrupts wait until what was begun is cleaned up, and end us then. */
static int make(const struct cx_l0_order *order, json_t **ret_document,
                struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	int status;

	cx_interrupt_hold();
	status = cx_state_open(&state, err);
	if (status == 0)
		status = cx_l0_make(&state, order, ret_document, err);
	return status;
}

static int run_l0(struct cx_cli *cli, void *data)
{
	const struct l0_args *args = data;
	CX_AUTO_JSON json_t *document = NULL;
	CX_AUTO_FREE char *path = NULL;
	struct cx_ticker ticker;
	struct cx_progress progress = { NULL, &ticker };
	struct cx_l0_order order = {
		.mirror = args->mirror, .registry = args->registry,
		.refresh = args->refresh, .progress = &progress,
	};
	struct cx_err err = { 0 };
	int status;

	if (cx_ticker_start(cli->tool->name, &ticker))
		progress.say = cx_ticker_say;
	path = recipe_path(cli, args, &err);
	order.recipe = path;
	status = path ? make(&order, &document, &err) : -1;
	cx_ticker_end(&ticker);
	status = status < 0 ? cx_io_fail(cli, &err)
	                    : cx_io_write(cli, document);
	cx_interrupt_release();
	return status;
}

static int run_list(struct cx_cli *cli, void *data)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_err err = { 0 };

	(void)data;
	if (cx_state_open(&state, &err) < 0 ||
	    cx_listing_all(&state, &document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
}

static int run_rm(struct cx_cli *cli, void *data)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_err err = { 0 };

	(void)data;
	if (cx_state_open(&state, &err) < 0 ||
	    cx_listing_remove(&state, cli->rest[0], &document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
}

static const struct cx_cmd verbs[] = {
	{ .name = "l0", .about = "Make a base image, or choose a made one",
	  .operands = "[NAME]", .operands_max = 1, .opt = l0_opt,
	  .opt_count = CX_COUNT(l0_opt), .args_size = sizeof(struct l0_args),
	  .writes = &cx_listing_l0_shape, .run = run_l0 },
	{ .name = "list", .about = "Show the images in the store",
	  .writes = &cx_listing_shape, .run = run_list },
	{ .name = "rm", .about = "Remove an image from the store",
	  .operands = "IMAGE", .operands_min = 1, .operands_max = 1,
	  .writes = &cx_listing_removed_shape, .run = run_rm },
};

const struct cx_tool cx_tool = {
	.name = "cx-build",
	.about = "makes the base images that commands run on",
	.cmd = verbs,
	.cmd_count = CX_COUNT(verbs),
};
