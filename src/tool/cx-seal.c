/* cx-seal.c - the tables of cx-seal. */
#include "model/surface.h"
#include "model/tier.h"
#include "seal/form.h"
#include "tool/sealing.h"

static const struct cx_opt mint_options[] = {
	CX_FLAG(struct cx_sealing_mint, words.pin, "pin", 0,
	        "Let the carrier run only this document's layer and skills"),
	CX_FLAG(struct cx_sealing_mint, words.once, "once", 0,
	        "Let the carrier be spent once"),
	CX_TEXT(struct cx_sealing_mint, words.ttl, "ttl", 0, "SECONDS",
	        "How long it opens, by default seal.ttl (900)"),
	CX_TEXT(struct cx_sealing_mint, words.use, "use", 0, "USE",
	        "What it opens for: execute (the default) or read"),
	CX_FLAG(struct cx_sealing_mint, words.single_step, "single-step", 0,
	        "The task has a single step: answer no_session"),
	CX_FLAG(struct cx_sealing_mint, words.structured_output,
	        "structured-output", 0,
	        "The task answers in structured output: answer no_session"),
	CX_FLAG(struct cx_sealing_mint, defaults, "defaults", 0,
	        "Fill in what the session lacks: defaults of the "
	        "configuration, else local, your user name, task"),
	CX_IO_OPTIONS(struct cx_sealing_mint, io),
};

static const struct cx_opt open_options[] = {
	CX_FLAG(struct cx_sealing_open, raw, "raw", 0,
	        "Read a bare carrier, and one line end, instead"),
	CX_TEXT(struct cx_sealing_open, use, "use", 0, "USE",
	        "What it must open for: execute (the default) or read"),
	CX_IO_INPUT_OPTIONS(struct cx_sealing_open, io),
};

static const struct cx_opt attenuate_options[] = {
	CX_TEXT(struct cx_sealing_attenuate, expires, "expires", 0, "TIME",
	        "Earlier end: seconds since 1970, or +SECONDS from now"),
	CX_WORD(struct cx_sealing_attenuate, egress, "egress", 0, "TIER",
	        cx_tier_word + 1, "No higher tier of egress than this"),
	CX_LIST(struct cx_sealing_attenuate, hosts, "host", 0, "HOST",
	        "Only this host, *.host or host:port; repeat for more"),
	CX_TEXT(struct cx_sealing_attenuate, image, "image", 0, "DIGEST",
	        "Only the image of this digest"),
	CX_TEXT(struct cx_sealing_attenuate, skills, "skills", 0, "DIGEST",
	        "Only the staged skills of this digest"),
	CX_TEXT(struct cx_sealing_attenuate, commands, "commands", 0, "N",
	        "Only N commands"),
	CX_WORD(struct cx_sealing_attenuate, surface, "surface", 0, "SURFACE",
	        cx_surface_word + 1, "Only a session of this surface"),
	CX_IO_INPUT_OPTIONS(struct cx_sealing_attenuate, io),
};

static const struct cx_opt revoke_options[] = {
	CX_IO_INPUT_OPTIONS(struct cx_sealing_revoke, io),
};

static const struct cx_opt key_new_options[] = {
	CX_WORD(struct cx_sealing_key, purpose, "purpose", 0, "PURPOSE",
	        cx_form_purposes, "What it is to sign, by default session"),
	CX_TEXT(struct cx_sealing_key, kid, "kid", 0, "KID",
	        "Its name, of a-z, 0-9 and -, by default a random one"),
};

static const struct cx_opt key_retire_options[] = {
	CX_FLAG(struct cx_sealing_key, force, "force", 0,
	        "Even a provenance key whose layers are still there"),
};

#define OPTIONS(table) .opt = (table), .opt_count = CX_COUNT(table)

static const struct cx_cmd commands[] = {
	{ .name = "mint", .about = "Seal a document's session into a carrier",
	  OPTIONS(mint_options), .args_size = sizeof(struct cx_sealing_mint),
	  .reads = &cx_form_session, .writes = &cx_form_carrier,
	  .run = cx_sealing_run_mint },
	{ .name = "open", .about = "Open and spend a document's carrier",
	  OPTIONS(open_options), .args_size = sizeof(struct cx_sealing_open),
	  .reads = &cx_form_carrier, .writes = &cx_form_session,
	  .run = cx_sealing_run_open },
	{ .name = "attenuate", .about = "Narrow a carrier, without any key",
	  OPTIONS(attenuate_options),
	  .args_size = sizeof(struct cx_sealing_attenuate),
	  .reads = &cx_form_carrier, .writes = &cx_form_carrier,
	  .run = cx_sealing_run_attenuate },
	{ .name = "revoke",
	  .about = "Revoke carriers by their jti, or the document's own",
	  .operands = "[JTI...]", .operands_max = 64, OPTIONS(revoke_options),
	  .args_size = sizeof(struct cx_sealing_revoke),
	  .reads = &cx_form_carrier, .writes = &cx_form_plain,
	  .run = cx_sealing_run_revoke },
	{ .name = "key new", .about = "Make a key, which only opens at first",
	  OPTIONS(key_new_options), .args_size = sizeof(struct cx_sealing_key),
	  .writes = &cx_form_key, .run = cx_sealing_run_key_new },
	{ .name = "key activate", .about = "Let a key seal from now on",
	  .operands = "KID", .operands_min = 1, .operands_max = 1,
	  .args_size = sizeof(struct cx_sealing_key),
	  .writes = &cx_form_key, .run = cx_sealing_run_key_activate },
	{ .name = "key list", .about = "Print the ring",
	  .args_size = sizeof(struct cx_sealing_key),
	  .writes = &cx_form_keys, .run = cx_sealing_run_key_list },
	{ .name = "key retire", .about = "Let a key open nothing any more",
	  .operands = "KID", .operands_min = 1, .operands_max = 1,
	  OPTIONS(key_retire_options),
	  .args_size = sizeof(struct cx_sealing_key),
	  .writes = &cx_form_key, .run = cx_sealing_run_key_retire },
};

const struct cx_tool cx_tool = {
	.name = "cx-seal",
	.about = "mint, open and narrow sealed sessions",
	.cmd = commands, .cmd_count = CX_COUNT(commands),
};
