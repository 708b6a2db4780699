/* cx-build - makes base images and the layers on them. */
#include "base/count.h"
#include "base/mem.h"
#include "build/l0.h"
#include "build/listing.h"
#include "build/recipe.h"
#include "cli/io.h"

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

static int run_l0(struct cx_cli *cli, void *data)
{
	const struct l0_args *args = data;
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_JSON json_t *document = NULL;
	CX_AUTO_FREE char *path = NULL;
	struct cx_l0_order order = { .refresh = args->refresh };
	struct cx_err err = { 0 };

	path = recipe_path(cli, args, &err);
	order.recipe = path;
	if (!path || cx_state_open(&state, &err) < 0 ||
	    cx_l0_make(&state, &order, &document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
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
	  .writes = &cx_l0_shape, .run = run_l0 },
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
