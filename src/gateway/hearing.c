/* hearing.c - see hearing.h. */
#include "gateway/hearing.h"

#include <string.h>

#include "base/b64.h"
#include "base/mem.h"
#include "base/str.h"
#include "gateway/brief.h"
#include "gateway/wording.h"
#include "gateway/zone.h"
#include "model/chunk.h"
#include "model/credential.h"
#include "model/rewrite.h"

/* One case, as it is heard. */
struct matter {
	const json_t *job;     /* the policy */
	const json_t *request;
	const json_t *dns;     /* NULL: there is none */
	struct cx_policy policy;
	struct cx_head head;
	const char *data;      /* of the head */
	bool bare;             /* it was made from a target */
	struct cx_target target;
	size_t lookups;
	uint64_t size;         /* head and body; 0: its end isn't known */
	struct cx_judgement judgement;
};

static void reject(struct matter *matter, uint16_t status, const char *reason)
{
	matter->judgement = (struct cx_judgement){
		.outcome = CX_OUTCOME_REJECT, .status = status,
		.reason = reason,
	};
}

static bool is_word(const json_t *object, const char *name, const char *word)
{
	const char *text = cx_json_text(object, name);

	return text && strcmp(text, word) == 0;
}

/* Who asks: by the listener it comes in at, and by the token it has. */
static enum cx_attribution attribute(const struct matter *matter)
{
	const char *own = cx_json_text(matter->job, "token");
	bool shared = is_word(matter->request, "listener", "shared") ||
	              (!matter->bare &&
	               !json_object_get(matter->request, "listener"));
	char token[CX_CREDENTIAL_TOKEN_BYTES];
	bool given = cx_credential_read(&matter->head, matter->data, token);
	bool same = given && (!own || strcmp(token, own) == 0);

	if (given && !same)
		return CX_ATTRIBUTION_UNKNOWN;
	if (given && is_word(matter->request, "listener", "other"))
		return CX_ATTRIBUTION_MISMATCH;
	if (!given && shared)
		return CX_ATTRIBUTION_NONE;
	if (is_word(matter->job, "state", "expired"))
		return CX_ATTRIBUTION_EXPIRED;
	if (is_word(matter->job, "state", "revoked"))
		return CX_ATTRIBUTION_REVOKED;
	return CX_ATTRIBUTION_JOB;
}

static void look_up(struct matter *matter)
{
	struct cx_answers answers;
	enum cx_lookup lookup;

	if (!matter->dns)
		return;
	lookup = cx_zone_find(matter->dns, matter->target.host.name,
	                      &matter->lookups, &answers);
	if (answers.foreign) {
		matter->judgement = (struct cx_judgement){
			.outcome = CX_OUTCOME_DENY, .status = 403,
			.reason = "protected_address",
		};
		return;
	}
	cx_decide_answers(&matter->policy, &matter->target, lookup,
	                  answers.addr, answers.count, &matter->judgement);
}

static void judge(struct matter *matter, const char *authority, size_t size,
                  uint16_t default_port)
{
	struct cx_judgement *judgement = &matter->judgement;

	cx_decide_job(attribute(matter), &matter->policy,
	              cx_json_is_true(matter->job, "spent"), judgement);
	if (judgement->outcome != CX_OUTCOME_RESOLVE)
		return;
	cx_decide_target(&matter->policy, authority, size, default_port,
	                 &matter->target, judgement);
	if (judgement->outcome == CX_OUTCOME_RESOLVE)
		look_up(matter);
}

/* Where the request ends. false: what there is of its body isn't one. */
static bool measure(struct matter *matter, size_t size)
{
	struct cx_chunk chunk = { 0 };
	size_t used;

	matter->size = matter->head.size;
	if (matter->head.body == CX_HEAD_LENGTH)
		matter->size += matter->head.length;
	if (matter->head.body != CX_HEAD_CHUNKED)
		return true;
	used = cx_chunk_read(&chunk, matter->data + matter->head.size,
	                     size - matter->head.size);
	matter->size = chunk.state == CX_CHUNK_DONE ? matter->size + used : 0;
	return chunk.state != CX_CHUNK_BAD;
}

static void judge_raw(struct matter *matter, const char *data, size_t size)
{
	struct cx_head *head = &matter->head;

	cx_head_begin(head);
	matter->data = data;
	switch (cx_head_read(head, data, size)) {
	case CX_HEAD_MORE:
		matter->judgement = (struct cx_judgement){
			.outcome = CX_OUTCOME_DENY, .status = 408,
			.reason = "header_timeout",
		};
		return;
	case CX_HEAD_BAD:
		reject(matter, head->status, head->reason);
		return;
	case CX_HEAD_DONE:
		break;
	}
	if (!measure(matter, size))
		reject(matter, 400, "ambiguous_framing");
	else
		judge(matter, data + head->authority.at, head->authority.size,
		      head->form == CX_HEAD_ABSOLUTE ? 80 : 0);
}

/* A target by itself is a request that could be sent. */
static void judge_target(struct matter *matter, const char *target,
                         struct cx_buf *text)
{
	const char *method = cx_json_text(matter->request, "method");

	matter->bare = true;
	cx_buf_print(text, "%s %s HTTP/1.1\r\nHost: host\r\n\r\n",
	             method ? method : "CONNECT", target);
	judge_raw(matter, text->data, text->size);
}

/* text gets the request's bytes. */
static int hear(struct matter *matter, struct cx_buf *text,
                struct cx_err *err)
{
	const char *target = cx_json_text(matter->request, "target");
	const char *raw = cx_json_text(matter->request, "raw");
	const char *coded = cx_json_text(matter->request, "rawBase64");

	if ((target != NULL) + (raw != NULL) + (coded != NULL) != 1) {
		cx_err_set(err, CX_E_INPUT_INVALID,
		           "must have one of target, raw and rawBase64");
		return cx_err_at(err, "/request");
	}
	if (target) {
		judge_target(matter, target, text);
		return 0;
	}
	if (raw)
		cx_buf_text(text, raw);
	else if (!cx_b64_read(CX_B64_PADDED, coded, strlen(coded), text)) {
		cx_err_set(err, CX_E_INPUT_INVALID, "isn't Base64");
		return cx_err_at(err, "/request/rawBase64");
	}
	judge_raw(matter, text->data ? text->data : "", text->size);
	return 0;
}

/* The names of the fields of a head as it is written, lower case. */
static json_t *list_fields(const char *text, const char *end)
{
	json_t *list = json_array();
	const char *line = memchr(text, '\n', (size_t)(end - text));

	for (line++; line < end && *line != '\r';
	     line = memchr(line, '\n', (size_t)(end - line)), line++) {
		char name[CX_HEAD_FIELD_MAX];
		size_t size = 0;

		for (; size < sizeof name && line[size] != ':'; size++)
			name[size] = cx_str_lower(line[size]);
		json_array_append_new(list, json_stringn(name, size));
	}
	return list;
}

/* The head as it goes to the origin; null for a tunnel. */
static json_t *write_upstream(const struct matter *matter)
{
	char text[CX_HEAD_MAX_BYTES + CX_REWRITE_MORE_BYTES];
	char host[CX_HOST_NAME_BYTES + 8];
	size_t size;
	const char *end;

	if (matter->judgement.outcome != CX_OUTCOME_ALLOW ||
	    matter->head.form != CX_HEAD_ABSOLUTE)
		return json_null();
	size = cx_rewrite_head(&matter->head, matter->data, &matter->target,
	                       !matter->head.keep, text, sizeof text);
	end = memchr(text, '\r', size);
	if (!end)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "line",
	                 cx_json_repaired(text, (size_t)(end - text)), "host",
	                 json_stringn(host, cx_rewrite_host(&matter->target,
	                                                    host, sizeof host)),
	                 "fields", list_fields(text, text + size));
}

static json_t *write_pinned(const struct cx_judgement *judgement)
{
	json_t *list = json_array();

	for (size_t i = 0; i < judgement->pinned; i++) {
		char text[CX_ADDR_TEXT_BYTES];

		cx_addr_write(&judgement->pin[i], text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

static void write_verdict(const struct matter *matter, json_t *doc)
{
	const struct cx_judgement *judgement = &matter->judgement;
	json_t *upstream = write_upstream(matter);

	json_object_clear(doc);
	json_object_set_new(doc, "decision", json_string(
	                    cx_decide_outcome(judgement->outcome)));
	json_object_set_new(doc, "status", json_integer(judgement->status));
	json_object_set_new(doc, "reason", judgement->reason ?
	                    json_string(judgement->reason) : json_null());
	if (judgement->range)
		json_object_set_new(doc, "range",
		                    json_string(judgement->range));
	if (judgement->upstream)
		json_object_set_new(doc, "exception",
		                    json_string(judgement->upstream->id));
	json_object_set_new(doc, "pinned", write_pinned(judgement));
	json_object_set_new(doc, "lookups",
	                    json_integer((json_int_t)matter->lookups));
	json_object_set_new(doc, "upstream", upstream);
	if (matter->size > 0)
		json_object_set_new(doc, "size",
		                    json_integer((json_int_t)matter->size));
}

int cx_hearing_take(json_t *doc, void *context, struct cx_err *err)
{
	struct cx_hearing *hearing = context;
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct matter matter = { 0 };

	if (cx_shape_check(&cx_wording_case, doc, "", CX_E_INPUT_INVALID,
	                   err) < 0)
		return -1;
	matter.job = json_object_get(doc, "policy");
	matter.request = json_object_get(doc, "request");
	matter.dns = json_object_get(doc, "dns");
	if (!hearing->entry)
		hearing->entry = cx_mem_array(CX_BRIEF_HOSTS_MAX,
		                              sizeof *hearing->entry);
	if (cx_brief_read(matter.job, "/policy", &hearing->book->terrain,
	                  hearing->entry, &matter.policy, err) < 0 ||
	    hear(&matter, &text, err) < 0)
		return -1;
	write_verdict(&matter, doc);
	return 0;
}

void cx_hearing_done(struct cx_hearing *hearing)
{
	free(hearing->entry);
	hearing->entry = NULL;
}
