/* narrow.c - see narrow.h. */
#include "model/narrow.h"

#include "base/str.h"

bool cx_narrow_has(const struct cx_caveats *caveats,
                   enum cx_caveat_type type)
{
	for (size_t i = 0; i < caveats->count; i++)
		if (caveats->item[i].type == type)
			return true;
	return false;
}

static bool admits_text(const struct cx_caveats *caveats,
                        enum cx_caveat_type type, const char *text)
{
	for (size_t i = 0; i < caveats->count; i++)
		if (caveats->item[i].type == type &&
		    !cx_str_same(caveats->item[i].text, text))
			return false;
	return true;
}

bool cx_narrow_admits_image(const struct cx_caveats *caveats,
                            const char *digest)
{
	return admits_text(caveats, CX_CAVEAT_IMAGE, digest);
}

bool cx_narrow_admits_skills(const struct cx_caveats *caveats,
                             const char *digest)
{
	return admits_text(caveats, CX_CAVEAT_SKILLS, digest);
}

bool cx_narrow_admits_surface(const struct cx_caveats *caveats,
                              enum cx_surface surface)
{
	for (size_t i = 0; i < caveats->count; i++)
		if (caveats->item[i].type == CX_CAVEAT_SURFACE &&
		    caveats->item[i].surface != surface)
			return false;
	return true;
}

bool cx_narrow_admits_tier(const struct cx_caveats *caveats,
                           enum cx_tier tier)
{
	return tier <= cx_narrow_tier(caveats);
}

static bool covers(const char *entry, const char *asked)
{
	struct cx_caveat_host allowed, wanted;
	size_t more;

	if (!cx_caveat_split(entry, &allowed) ||
	    !cx_caveat_split(asked, &wanted) || wanted.length < allowed.length)
		return false;
	more = wanted.length - allowed.length;
	if (memcmp(wanted.name + more, allowed.name, allowed.length) != 0 ||
	    (more > 0 && wanted.name[more - 1] != '.'))
		return false;
	if (allowed.port)
		return allowed.port == wanted.port;
	return wanted.port == 0 || wanted.port == 80 || wanted.port == 443;
}

static bool covered(const struct cx_caveat *caveat, const char *asked)
{
	for (size_t i = 0; i < caveat->host_count; i++)
		if (covers(caveat->host[i], asked))
			return true;
	return false;
}

bool cx_narrow_admits_host(const struct cx_caveats *caveats,
                           const char *entry)
{
	for (size_t i = 0; i < caveats->count; i++)
		if (caveats->item[i].type == CX_CAVEAT_HOSTS &&
		    !covered(&caveats->item[i], entry))
			return false;
	return true;
}

int64_t cx_narrow_expires(const struct cx_caveats *caveats)
{
	int64_t earliest = INT64_MAX;

	for (size_t i = 0; i < caveats->count; i++)
		if (caveats->item[i].type == CX_CAVEAT_EXPIRES &&
		    caveats->item[i].number < earliest)
			earliest = caveats->item[i].number;
	return earliest;
}

enum cx_tier cx_narrow_tier(const struct cx_caveats *caveats)
{
	enum cx_tier highest = CX_TIER_DEFAULT_INTERNET;

	for (size_t i = 0; i < caveats->count; i++) {
		const struct cx_caveat *caveat = &caveats->item[i];

		if (caveat->type == CX_CAVEAT_EGRESS && caveat->tier < highest)
			highest = caveat->tier;
		if (caveat->type == CX_CAVEAT_HOSTS &&
		    highest > CX_TIER_ALLOWLIST)
			highest = CX_TIER_ALLOWLIST;
	}
	return highest;
}
