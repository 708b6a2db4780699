/* sealing.c - see sealing.h. */
#include "tool/sealing.h"

#include "base/clock.h"
#include "seal/attenuate.h"
#include "seal/keyring.h"
#include "seal/open.h"
#include "seal/revoke.h"

/* A bare carrier, its line end, and one byte to see that there is more. */
enum { BARE_MAX_BYTES = 4096 + 3 };

/* A minting's task, and whom to tell of the first key. */
struct minting {
	struct cx_mint_task task;
	const struct cx_cli *cli;
	bool defaults;
};

static void fill(json_t *session, const char *name, const char *configured,
                 const char *fallback)
{
	const char *text = configured ? configured : fallback;

	if (!json_object_get(session, name))
		json_object_set_new(session, name,
		                    cx_json_repaired(text, strlen(text)));
}

/* Who owns the state folder is the operator, and may name anybody; this names
 * the person at the keyboard. */
static void fill_session(const struct minting *minting, json_t *doc)
{
	const struct cx_config *config = &minting->task.desk->config;
	json_t *session = json_object_get(doc, "session");
	const char *user = getenv("USER");
	char number[24];

	snprintf(number, sizeof number, "uid-%u", (unsigned)getuid());
	if (!session) {
		session = json_object();
		json_object_set_new(doc, "session", session);
	}
	fill(session, "orgId", config->default_org, "local");
	fill(session, "userId", config->default_user,
	     user && *user ? user : number);
	fill(session, "surface", NULL, "task");
}

static int each_mint(json_t *doc, void *context, struct cx_err *err)
{
	struct minting *minting = context;
	int result;

	if (minting->defaults)
		fill_session(minting, doc);
	result = cx_mint_document(&minting->task, doc, err);
	if (minting->task.minted.made[0])
		cx_io_note(minting->cli, "made the first session key, %s, in "
		           "%s/keys", minting->task.minted.made,
		           minting->task.desk->state.path);
	minting->task.minted.made[0] = '\0';
	return result;
}

int cx_sealing_run_mint(struct cx_cli *cli, void *given)
{
	struct cx_sealing_mint *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	struct minting minting = { .cli = cli, .task.desk = &desk,
	                           .defaults = args->defaults };
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

static int each_open(json_t *doc, void *context, struct cx_err *err)
{
	return cx_open_document(context, doc, err);
}

static int open_bare(struct cx_cli *cli, const struct cx_sealing_open *args,
                     struct cx_open_task *task)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_io_read_bytes(cli, &args->io, BARE_MAX_BYTES, &text,
	                     &err) < 0 ||
	    cx_open_bare(task, text.data, text.size, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, doc);
}

int cx_sealing_run_open(struct cx_cli *cli, void *given)
{
	struct cx_sealing_open *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	struct cx_open_task task = { .desk = &desk };
	struct cx_err err = { 0 };

	if (args->raw && args->io.stream) {
		cx_err_set(&err, CX_E_USAGE,
		           "--raw and --stream exclude each other");
		return cx_io_fail(cli, &err);
	}
	if (cx_desk_open(&desk, CX_DESK_READ, &err) < 0 ||
	    cx_open_read(args->use, &task.use, &err) < 0)
		return cx_io_fail(cli, &err);
	if (args->raw)
		return open_bare(cli, args, &task);
	return cx_io_filter(cli, &args->io, each_open, &task);
}

static int each_attenuate(json_t *doc, void *context, struct cx_err *err)
{
	return cx_attenuate_document(context, doc, err);
}

int cx_sealing_run_attenuate(struct cx_cli *cli, void *given)
{
	struct cx_sealing_attenuate *args = given;
	const struct cx_attenuate_words words = {
		.expires = args->expires, .egress = args->egress,
		.image = args->image, .skills = args->skills,
		.commands = args->commands, .surface = args->surface,
		.host = args->hosts.item, .host_count = args->hosts.count,
	};
	CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };
	struct cx_err err = { 0 };
	int64_t now;

	if (cx_clock_now(&now, &err) < 0 ||
	    cx_attenuate_read(&words, now, &caveats, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_filter(cli, &args->io, each_attenuate, &caveats);
}

static int each_revoke(json_t *doc, void *context, struct cx_err *err)
{
	return cx_revoke_document(context, doc, err);
}

int cx_sealing_run_revoke(struct cx_cli *cli, void *given)
{
	struct cx_sealing_revoke *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_desk_open(&desk, CX_DESK_WRITE, &err) < 0)
		return cx_io_fail(cli, &err);
	if (cli->rest_count == 0)
		return cx_io_filter(cli, &args->io, each_revoke, &desk);
	if (cx_revoke_ids(&desk, cli->rest, cli->rest_count, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, doc);
}

int cx_sealing_run_key_new(struct cx_cli *cli, void *given)
{
	struct cx_sealing_key *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	CX_AUTO_JSON json_t *entry = NULL;
	struct cx_err err = { 0 };

	if (cx_desk_open(&desk, CX_DESK_WRITE, &err) < 0 ||
	    cx_keyring_new(&desk, args->purpose, args->kid, &entry, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, entry);
}

int cx_sealing_run_key_activate(struct cx_cli *cli, void *given)
{
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	CX_AUTO_JSON json_t *entry = NULL;
	struct cx_err err = { 0 };

	(void)given;
	if (cx_desk_open(&desk, CX_DESK_WRITE, &err) < 0 ||
	    cx_keyring_activate(&desk, cli->rest[0], &entry, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, entry);
}

int cx_sealing_run_key_list(struct cx_cli *cli, void *given)
{
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	(void)given;
	if (cx_desk_open(&desk, CX_DESK_READ, &err) < 0 ||
	    cx_keyring_list(&desk, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, doc);
}

int cx_sealing_run_key_retire(struct cx_cli *cli, void *given)
{
	struct cx_sealing_key *args = given;
	CX_AUTO_DESK struct cx_desk desk = CX_DESK_NONE;
	CX_AUTO_JSON json_t *entry = NULL;
	struct cx_err err = { 0 };
	bool idle = false;

	if (cx_desk_open(&desk, CX_DESK_WRITE, &err) < 0 ||
	    cx_keyring_retire(&desk, cli->rest[0], args->force, &idle, &entry,
	                      &err) < 0)
		return cx_io_fail(cli, &err);
	if (idle)
		cx_io_note(cli, "no %s key is active now; make one active "
		           "with cx-seal key activate KID",
		           cx_json_text(entry, "purpose"));
	return cx_io_write(cli, entry);
}
