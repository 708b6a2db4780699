/* cx-seal.c - the tables of cx-seal, and the glue to its service. */
#include "base/clock.h"
#include "cli/io.h"
#include "seal/attenuate.h"
#include "seal/form.h"
#include "seal/keyring.h"
#include "seal/mint.h"
#include "seal/open.h"
#include "seal/revoke.h"

/* A bare carrier and its line end, and one byte to see that there is more. */
enum { BARE_MAX_BYTES = CX_ENVELOPE_MAX_BYTES + 3 };

/* What an each() needs beside its own task, to speak to a person. */
struct minting {
	struct cx_mint_task task;
	const struct cx_cli *cli;
};

struct mint_args {
	struct cx_io_args io;
	struct cx_mint_words words;
};

static const struct cx_opt mint_options[] = {
	CX_FLAG(struct mint_args, words.pin, "pin", 0,
	        "Let the carrier run only this document's layer and skills"),
	CX_FLAG(struct mint_args, words.once, "once", 0,
	        "Let the carrier open once"),
	CX_TEXT(struct mint_args, words.ttl, "ttl", 0, "SECONDS",
	        "How long it opens (seal.ttl, by default 900)"),
	CX_TEXT(struct mint_args, words.use, "use", 0, "USE",
	        "What it opens for: execute (default) or read"),
	CX_FLAG(struct mint_args, words.single_step, "single-step", 0,
	        "The task has a single step: answer no_session"),
	CX_FLAG(struct mint_args, words.structured_output,
	        "structured-output", 0,
	        "The task's answer is structured output: answer no_session"),
	CX_IO_OPTIONS(struct mint_args, io),
};

static int each_mint(json_t *doc, void *context, struct cx_err *err)
{
	struct minting *minting = context;
	int result = cx_mint_document(&minting->task, doc, err);

	if (minting->task.minted.made[0])
		cx_io_note(minting->cli, "made the first session key, %s, in "
		           "%s/keys", minting->task.minted.made,
		           minting->task.desk->state.path);
	minting->task.minted.made[0] = '\0';
	return result;
}

static int run_mint(struct cx_cli *cli, void *given)
{
	struct mint_args *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	struct minting minting = { .cli = cli, .task.desk = &desk };
	struct cx_err err = { 0 };
	int status;

	if (cx_desk_open(&desk, CX_DESK_WRITE, &err) < 0 ||
	    cx_mint_read(&args->words, &desk.config, &minting.task.order,
	                 &err) < 0)
		return cx_io_fail(cli, &err);
	status = cx_io_filter(cli, &args->io, each_mint, &minting);
	cx_buf_done(&minting.task.minted.text);
	return status;
}

struct open_args {
	struct cx_io_args io;
	bool raw;
	const char *use;
};

static const struct cx_opt open_options[] = {
	CX_FLAG(struct open_args, raw, "raw", 0,
	        "Read a bare carrier (and one line end) instead"),
	CX_TEXT(struct open_args, use, "use", 0, "USE",
	        "What it must open for: execute (default) or read"),
	CX_IO_INPUT_OPTIONS(struct open_args, io),
};

static int each_open(json_t *doc, void *context, struct cx_err *err)
{
	return cx_open_document(context, doc, err);
}

static int open_bare(struct cx_cli *cli, const struct open_args *args,
                     struct cx_open_task *task)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_io_read_bytes(&args->io, BARE_MAX_BYTES, &text, &err) < 0 ||
	    cx_open_bare(task, text.data, text.size, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, doc);
}

static int run_open(struct cx_cli *cli, void *given)
{
	struct open_args *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	struct cx_open_task task = { .desk = &desk };
	struct cx_err err = { 0 };

	if (args->raw && args->io.stream) {
		cx_err_set(&err, CX_E_USAGE, "--raw and --stream exclude each "
		           "other");
		return cx_io_fail(cli, &err);
	}
	if (cx_desk_open(&desk, CX_DESK_READ, &err) < 0 ||
	    cx_open_read(args->use, &task.use, &err) < 0)
		return cx_io_fail(cli, &err);
	if (args->raw)
		return open_bare(cli, args, &task);
	return cx_io_filter(cli, &args->io, each_open, &task);
}
