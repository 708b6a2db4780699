/*
 * mint.h - a document's session becomes its carrier.
 *
 * The one seam that mints, for every surface, from the identity that its
 * issuer resolved; it authenticates nothing itself.
 */
#ifndef CX_SEAL_MINT_H
#define CX_SEAL_MINT_H

#include "data/json.h"
#include "plane/minting.h"
#include "seal/desk.h"

/* The command line's words; NULL where one wasn't given. */
struct cx_mint_words {
	bool pin, once;
	bool single_step, structured_output;
	const char *ttl, *use;
};

struct cx_mint_order {
	bool pin, once, has_turns;
	int64_t ttl_s;
	enum cx_carrier_use use;
};

/* CX_E_INPUT_INVALID where a word is outside what may be minted. */
int cx_mint_read(const struct cx_mint_words *words,
                 const struct cx_config *config, struct cx_mint_order *ret,
                 struct cx_err *err);

/* Kept for the next document of a stream, whose carrier uses the memory of
 * the last one's. */
struct cx_mint_task {
	struct cx_desk *desk;
	struct cx_mint_order order;
	struct cx_minted minted;  /* minted.made: a first key was made */
};

/* Takes session out of doc, also when it is refused (it may hold what must
 * not be printed), and puts carrier and carrierExpiresAt in. */
int cx_mint_document(struct cx_mint_task *task, json_t *doc,
                     struct cx_err *err);

#endif
