/* attenuate.c - see attenuate.h. */
#include "seal/attenuate.h"

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/jcs.h"
#include "plane/document.h"
#include "plane/minting.h"

static int refuse(const char *option, const char *right, struct cx_err *err)
{
	return cx_err_set(err, CX_E_USAGE, "--%s must be %s", option,
	                  right);
}

static int read_expires(const char *word, int64_t now,
                        struct cx_caveat *caveat, struct cx_err *err)
{
	bool from_now = word[0] == '+';
	uint64_t number;

	if (!cx_num_parse(word + from_now, from_now ? 1 : 0,
	                  CX_JCS_NUMBER_MAX / 2, &number))
		return refuse("expires", "seconds since 1970, or + and "
		                         "seconds from now", err);
	caveat->number = (int64_t)number + (from_now ? now : 0);
	return 0;
}

static int read_commands(const char *word, int64_t now,
                         struct cx_caveat *caveat, struct cx_err *err)
{
	uint64_t number;

	(void)now;
	if (!cx_num_parse(word, 1, CX_CAVEAT_COMMANDS_MAX, &number))
		return refuse("commands", "1 to 1000000", err);
	caveat->number = (int64_t)number;
	return 0;
}

static int read_digest(const char *word, int64_t now,
                       struct cx_caveat *caveat, struct cx_err *err)
{
	(void)now;
	if (!cx_caveat_is_digest(word))
		return refuse(cx_caveat_name(caveat->type),
		              "sha256: and 64 hexadecimal digits", err);
	caveat->text = cx_mem_text(word);
	return 0;
}

static int read_egress(const char *word, int64_t now,
                       struct cx_caveat *caveat, struct cx_err *err)
{
	(void)now;
	if (!cx_tier_find(word, &caveat->tier))
		return refuse("egress", "none, allowlist or default_internet",
		              err);
	return 0;
}

static int read_surface(const char *word, int64_t now,
                        struct cx_caveat *caveat, struct cx_err *err)
{
	(void)now;
	if (!cx_surface_find(word, &caveat->surface))
		return refuse("surface", "chat, agent or task", err);
	return 0;
}

static int read_hosts(const struct cx_attenuate_words *words,
                      struct cx_caveats *ret, struct cx_err *err)
{
	struct cx_caveat caveat = { .type = CX_CAVEAT_HOSTS };

	if (words->host_count == 0)
		return 0;
	for (size_t i = 0; i < words->host_count; i++)
		if (!cx_caveat_is_host(words->host[i]))
			return refuse("host", "host, *.host or host:port, "
			              "in lower case, one for each --host",
			              err);
	caveat.host = cx_mem_array(words->host_count, sizeof *caveat.host);
	for (size_t i = 0; i < words->host_count; i++)
		caveat.host[caveat.host_count++] = cx_mem_text(words->host[i]);
	cx_caveat_add(ret, &caveat);
	return 0;
}

int cx_attenuate_read(const struct cx_attenuate_words *words, int64_t now,
                      struct cx_caveats *ret, struct cx_err *err)
{
	const struct {
		const char *word;
		enum cx_caveat_type type;
		int (*read)(const char *, int64_t, struct cx_caveat *,
		            struct cx_err *);
	} row[] = {
		{ words->expires, CX_CAVEAT_EXPIRES, read_expires },
		{ words->commands, CX_CAVEAT_COMMANDS, read_commands },
		{ words->surface, CX_CAVEAT_SURFACE, read_surface },
		{ words->image, CX_CAVEAT_IMAGE, read_digest },
		{ words->skills, CX_CAVEAT_SKILLS, read_digest },
		{ words->egress, CX_CAVEAT_EGRESS, read_egress },
	};

	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_caveat caveat = { .type = row[i].type };

		if (!row[i].word)
			continue;
		if (row[i].read(row[i].word, now, &caveat, err) < 0)
			return -1;
		cx_caveat_add(ret, &caveat);
	}
	if (read_hosts(words, ret, err) < 0)
		return -1;
	if (ret->count == 0)
		return cx_err_set(err, CX_E_USAGE,
		                  "nothing to narrow; give at least one of "
		                  "--expires, --egress, --host, --image, "
		                  "--skills, --commands, --surface");
	return 0;
}

int cx_attenuate_document(const struct cx_caveats *caveats, json_t *doc,
                          struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf narrowed = { 0 };
	const char *text;
	size_t length;
	int64_t expires;
	char end[21];

	if (cx_document_check(doc, err) < 0 ||
	    cx_document_carrier(doc, &text, &length, err) < 0 ||
	    cx_minting_narrow(text, length, caveats, &narrowed, &expires,
	                      err) < 0)
		return -1;
	cx_clock_text(expires, end);
	json_object_set_new(doc, "carrier",
	                    json_stringn_nocheck(narrowed.data,
	                                         narrowed.size));
	json_object_set_new(doc, "carrierExpiresAt", json_string(end));
	return 0;
}
