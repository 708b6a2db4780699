/* mint.c - see mint.h. */
#include "seal/mint.h"

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/promise.h"
#include "base/str.h"
#include "plane/document.h"

static int read_use(const char *use, enum cx_carrier_use *ret,
                    struct cx_err *err)
{
	bool probe = use && cx_str_same(use, "probe");

	if (!CX_PROMISE(use_for_tenants, !probe))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "--use probe is reserved for cx-run ready; "
		                  "use execute or read");
	if (probe)
		*ret = CX_CARRIER_PROBE;
	else if (use && cx_str_same(use, "read"))
		*ret = CX_CARRIER_READ;
	else if (!use || cx_str_same(use, "execute"))
		*ret = CX_CARRIER_EXECUTE;
	else
		return cx_err_set(err, CX_E_USAGE,
		                  "--use must be execute or read");
	return 0;
}

int cx_mint_read(const struct cx_mint_words *words,
                 const struct cx_config *config, struct cx_mint_order *ret,
                 struct cx_err *err)
{
	uint64_t ttl = (uint64_t)config->seal_ttl;

	/* how long one may be is policy; that it is a number isn't */
	if (words->ttl && !cx_str_only(words->ttl, "0123456789"))
		return cx_err_set(err, CX_E_USAGE, "--ttl '%.60s': it is a "
		                  "number of seconds", words->ttl);
	if (words->ttl && !cx_num_parse(words->ttl, 1,
	                                (uint64_t)config->seal_max_ttl, &ttl))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "--ttl must be 1 to %lld seconds "
		                  "(seal.max_ttl)",
		                  (long long)config->seal_max_ttl);
	*ret = (struct cx_mint_order){
		.pin = words->pin, .once = words->once,
		.has_turns = !words->single_step && !words->structured_output,
		.ttl_s = (int64_t)ttl,
	};
	return read_use(words->use, &ret->use, err);
}

/* The first member that isn't known. */
static int point_at_other(json_t *session, const char *const known[],
                          size_t count, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };
	const char *name;
	json_t *value;

	json_object_foreach(session, name, value) {
		size_t i = 0;

		while (i < count && !cx_str_same(name, known[i]))
			i++;
		if (i < count)
			continue;
		cx_json_token(&pointer, name);
		break;
	}
	return cx_err_at(err, "/session%s", pointer.data ? pointer.data : "");
}

static int check_members(json_t *session, struct cx_err *err)
{
	static const char *const known[] = { "orgId", "userId", "surface",
	                                     "runId" };
	size_t found = 0;

	for (size_t i = 0; i < CX_COUNT(known); i++) {
		const json_t *value = json_object_get(session, known[i]);
		bool empty = json_is_null(value) && i < 2; /* no identity */

		found += value != NULL;
		if (!value || json_is_string(value) || empty)
			continue;
		cx_err_set(err, CX_E_INPUT_INVALID, "%s must be a text",
		           known[i]);
		return cx_err_at(err, "/session/%s", known[i]);
	}
	if (CX_PROMISE(session_closed, found == json_object_size(session)))
		return 0;
	cx_err_set(err, CX_E_INPUT_INVALID, "a session holds orgId, userId, "
	           "surface and runId, and nothing else");
	return point_at_other(session, known, CX_COUNT(known), err);
}

static int read_session(const json_t *doc, struct cx_session *ret,
                        struct cx_err *err)
{
	json_t *session;
	char below[32];

	if (cx_document_section(doc, "session", &session, err) < 0 ||
	    check_members(session, err) < 0)
		return -1;
	if (cx_session_make(CX_SESSION_TENANT, cx_json_text(session, "orgId"),
	                    cx_json_text(session, "userId"),
	                    cx_json_text(session, "surface"),
	                    cx_json_text(session, "runId"), ret, err) == 0)
		return 0;
	snprintf(below, sizeof below, "%.30s", err->pointer);
	return cx_err_at(err, "/session%s", below);
}

/* The digest that a section brings becomes a caveat. */
static int pin(const json_t *doc, const char *section_name,
               const char *member, enum cx_caveat_type type,
               struct cx_caveats *caveats, struct cx_err *err)
{
	struct cx_caveat caveat = { .type = type };
	const char *digest;
	json_t *section;

	if (cx_document_section(doc, section_name, &section, err) < 0)
		return -1;
	if (!section)
		return 0;
	digest = cx_json_text(section, member);
	if (!digest || !cx_caveat_is_digest(digest)) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "--pin needs %s of %s: \"sha256:\" and 64 "
		           "hexadecimal digits", member, section_name);
		return cx_err_at(err, "/%s/%s", section_name, member);
	}
	caveat.text = cx_mem_text(digest);
	cx_caveat_add(caveats, &caveat);
	return 0;
}

/* What is declared and not made yet would be left unpinned in silence. */
static int check_products(const json_t *doc, struct cx_err *err)
{
	if (json_object_get(doc, "environment") &&
	    !json_object_get(doc, "layer"))
		return cx_err_set(err, CX_E_ENVIRONMENT_UNAVAILABLE,
		                  "--pin: the declared environment has no "
		                  "layer yet; run cx-build layer before");
	if (json_object_get(doc, "skills") && !json_object_get(doc, "staged"))
		return cx_err_set(err, CX_E_SKILLS_UNSTAGED,
		                  "--pin: the declared skills aren't staged "
		                  "yet; run cx-stage skills before");
	return 0;
}

static int collect_caveats(const struct cx_mint_order *order,
                           const json_t *doc, struct cx_caveats *ret,
                           struct cx_err *err)
{
	const struct cx_caveat once = { .type = CX_CAVEAT_COMMANDS,
	                                .number = 1 };

	if (order->once)
		cx_caveat_add(ret, &once);
	if (!order->pin)
		return 0;
	if (check_products(doc, err) < 0 ||
	    pin(doc, "layer", "imageDigest", CX_CAVEAT_IMAGE, ret, err) < 0)
		return -1;
	return pin(doc, "staged", "digest", CX_CAVEAT_SKILLS, ret, err);
}

static int mint(struct cx_mint_task *task, const json_t *doc,
                struct cx_err *err)
{
	CX_AUTO_CAVEATS struct cx_caveats caveats = { NULL, 0 };
	struct cx_session session;
	struct cx_minting_order order = {
		.session = &session, .use = task->order.use,
		.ttl_s = task->order.ttl_s, .caveats = &caveats,
	};

	if (cx_document_check(doc, err) < 0)
		return -1;
	if (!CX_PROMISE(task_has_turns, task->order.has_turns))
		return cx_err_set(err, CX_E_NO_SESSION,
		                  "a single-step or structured-output task has "
		                  "no turn in which a result could be used, so "
		                  "it gets no capability");
	if (read_session(doc, &session, err) < 0 ||
	    collect_caveats(&task->order, doc, &caveats, err) < 0)
		return -1;
	return cx_minting_make(&task->desk->sealer, &order,
	                       cx_clock_wall_ms() / 1000, &task->minted, err);
}

int cx_mint_document(struct cx_mint_task *task, json_t *doc,
                     struct cx_err *err)
{
	int result = mint(task, doc, err);
	char end[21];

	json_object_del(doc, "session");
	if (result < 0)
		return -1;
	cx_clock_text(task->minted.expires, end);
	json_object_set_new(doc, "carrier",
	                    json_stringn_nocheck(task->minted.text.data,
	                                         task->minted.text.size));
	json_object_set_new(doc, "carrierExpiresAt", json_string(end));
	return 0;
}
