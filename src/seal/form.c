/* form.c - see form.h. */
#include "seal/form.h"

#include "model/session.h"

static const char *const versions[] = { "cx/v1", NULL };
static const char *const states[] = { "verify-only", "active", "retired",
                                      NULL };
const char *const cx_form_purposes[] = { "session", "provenance", "audit",
                                         "gateway", NULL };

static const struct cx_shape session[] = {
	{ .name = "orgId", .kind = CX_SHAPE_TEXT, .required = true,
	  .min = 1, .max = CX_SESSION_ID_MAX_BYTES,
	  .about = "The organization; not beginning with cx:." },
	{ .name = "userId", .kind = CX_SHAPE_TEXT, .required = true,
	  .min = 1, .max = CX_SESSION_ID_MAX_BYTES,
	  .about = "The person, or what acts for one." },
	{ .name = "surface", .kind = CX_SHAPE_TEXT, .required = true,
	  .word = cx_surface_word + 1,
	  .about = "Where the session comes from." },
	{ .name = "runId", .kind = CX_SHAPE_TEXT, .min = 1,
	  .max = CX_SESSION_ID_MAX_BYTES,
	  .about = "The run: of surface agent always, of others never." },
	{ .name = NULL },
};

static const struct cx_shape with_session[] = {
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .word = versions,
	  .about = "The version of the document; always written." },
	{ .name = "session", .kind = CX_SHAPE_OBJECT, .required = true,
	  .sub = session, .about = "Who the document's command is run for." },
	{ .name = NULL },
};

static const struct cx_shape with_carrier[] = {
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .word = versions,
	  .about = "The version of the document; always written." },
	{ .name = "carrier", .kind = CX_SHAPE_TEXT, .required = true,
	  .min = 1, .max = 4096,
	  .pattern = "^cxs1\\.[a-z0-9-]{1,32}\\.[A-Za-z0-9_~-]+\\."
	             "[A-Za-z0-9_-]{43}$",
	  .about = "The sealed session." },
	{ .name = "carrierExpiresAt", .kind = CX_SHAPE_TEXT,
	  .about = "When the carrier stops opening, in UTC; for people, and "
	           "believed by no tool." },
	{ .name = NULL },
};

static const struct cx_shape with_neither[] = {
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .word = versions,
	  .about = "The version of the document; always written." },
	{ .name = NULL },
};

static const struct cx_shape key[] = {
	{ .name = "kid", .kind = CX_SHAPE_TEXT, .required = true, .min = 1,
	  .max = 32, .pattern = "^[a-z0-9-]{1,32}$",
	  .about = "The key's name, never used again." },
	{ .name = "purpose", .kind = CX_SHAPE_TEXT, .required = true,
	  .word = cx_form_purposes, .about = "What it signs." },
	{ .name = "alg", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "hmac-sha256 or ed25519, by purpose." },
	{ .name = "state", .kind = CX_SHAPE_TEXT, .required = true,
	  .word = states,
	  .about = "verify-only opens, active also signs, retired does "
	           "neither." },
	{ .name = "notBefore", .kind = CX_SHAPE_NUMBER, .nullable = true,
	  .about = "Seconds since 1970 before which it isn't used." },
	{ .name = "notAfter", .kind = CX_SHAPE_NUMBER, .nullable = true,
	  .about = "Seconds since 1970 from which on it isn't used." },
	{ .name = "file", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "The name of its 32 bytes in keys/." },
	{ .name = NULL },
};

static const struct cx_shape one_key[] = {
	{ .name = "key", .kind = CX_SHAPE_OBJECT, .sub = key,
	  .about = "A key." },
	{ .name = NULL },
};

static const struct cx_shape keys[] = {
	{ .name = "keys", .kind = CX_SHAPE_LIST, .required = true,
	  .sub = one_key, .about = "The keys, oldest first." },
	{ .name = NULL },
};

const struct cx_shape cx_form_session = {
	.name = "document", .kind = CX_SHAPE_OBJECT, .open = true,
	.sub = with_session,
	.about = "A run document with a session; all else passes through.",
};
const struct cx_shape cx_form_carrier = {
	.name = "document", .kind = CX_SHAPE_OBJECT, .open = true,
	.sub = with_carrier,
	.about = "A run document with a carrier; all else passes through.",
};
const struct cx_shape cx_form_plain = {
	.name = "document", .kind = CX_SHAPE_OBJECT, .open = true,
	.sub = with_neither,
	.about = "A run document whose carrier was taken out.",
};
const struct cx_shape cx_form_key = {
	.name = "key", .kind = CX_SHAPE_OBJECT, .sub = key,
	.about = "A key of the ring.",
};
const struct cx_shape cx_form_keys = {
	.name = "ring", .kind = CX_SHAPE_OBJECT, .sub = keys,
	.about = "The ring.",
};
