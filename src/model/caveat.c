/* caveat.c - see caveat.h. */
#include "model/caveat.h"

#include "base/count.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/jcs.h"

static const char *const type_name[] = {
	[CX_CAVEAT_EXPIRES] = "expires",
	[CX_CAVEAT_EGRESS] = "egress",
	[CX_CAVEAT_HOSTS] = "hosts",
	[CX_CAVEAT_IMAGE] = "image",
	[CX_CAVEAT_SKILLS] = "skills",
	[CX_CAVEAT_COMMANDS] = "commands",
	[CX_CAVEAT_SURFACE] = "surface",
};

static void clear(struct cx_caveat *caveat)
{
	for (size_t i = 0; i < caveat->host_count; i++)
		free(caveat->host[i]);
	free(caveat->host);
	free(caveat->text);
	*caveat = (struct cx_caveat){ .number = 0 };
}

void cx_caveat_done(struct cx_caveats *caveats)
{
	for (size_t i = 0; i < caveats->count; i++)
		clear(&caveats->item[i]);
	free(caveats->item);
	*caveats = (struct cx_caveats){ NULL, 0 };
}

void cx_caveat_add(struct cx_caveats *caveats, const struct cx_caveat *caveat)
{
	caveats->item = cx_mem_grow(caveats->item, caveats->count + 1,
	                            sizeof *caveats->item);
	caveats->item[caveats->count++] = *caveat;
}

const char *cx_caveat_name(enum cx_caveat_type type)
{
	return type < CX_COUNT(type_name) ? type_name[type] : "";
}

bool cx_caveat_find(const char *name, enum cx_caveat_type *ret)
{
	for (size_t i = 0; i < CX_COUNT(type_name); i++)
		if (strcmp(type_name[i], name) == 0) {
			*ret = (enum cx_caveat_type)i;
			return true;
		}
	return false;
}

bool cx_caveat_is_digest(const char *text)
{
	return cx_str_starts(text, "sha256:") && strlen(text) == 71 &&
	       strspn(text + 7, "0123456789abcdef") == 64;
}

static bool is_name(const char *text, size_t length)
{
	size_t label = 0;

	if (length == 0 || length > 253)
		return false;
	for (size_t i = 0; i < length; i++) {
		bool edge = label == 0 || i + 1 == length || text[i + 1] == '.';

		if (text[i] == '.') {
			if (label == 0 || i + 1 == length)
				return false;
			label = 0;
			continue;
		}
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", text[i]) ||
		    (text[i] == '-' && edge) || ++label > 63)
			return false;
	}
	return true;
}

bool cx_caveat_split(const char *entry, struct cx_caveat_host *ret)
{
	const char *colon = strchr(entry, ':');

	ret->name = cx_str_starts(entry, "*.") ? entry + 2 : entry;
	ret->length = colon ? (size_t)(colon - ret->name) : strlen(ret->name);
	ret->port = 0;
	if (colon && (colon < ret->name ||
	              !cx_num_parse(colon + 1, 1, 65535, &ret->port)))
		return false;
	return is_name(ret->name, ret->length);
}

bool cx_caveat_is_host(const char *entry)
{
	struct cx_caveat_host host;

	return cx_caveat_split(entry, &host);
}

static bool read_host(struct cx_jcs *reader, struct cx_caveat *caveat)
{
	char entry[CX_CAVEAT_HOST_MAX];

	if (!cx_jcs_read_text(reader, entry, sizeof entry) ||
	    !cx_caveat_is_host(entry) ||
	    caveat->host_count == CX_CAVEAT_HOSTS_MAX)
		return false;
	caveat->host = cx_mem_grow(caveat->host, caveat->host_count + 1,
	                           sizeof *caveat->host);
	caveat->host[caveat->host_count++] = cx_mem_text(entry);
	return true;
}

static bool read_hosts(struct cx_jcs *reader, struct cx_caveat *caveat)
{
	if (!cx_jcs_take(reader, "["))
		return false;
	if (cx_jcs_take(reader, "]"))
		return true;
	do
		if (!read_host(reader, caveat))
			return false;
	while (cx_jcs_take(reader, ","));
	return cx_jcs_take(reader, "]");
}

static bool read_number(struct cx_jcs *reader, int64_t min, int64_t max,
                        struct cx_caveat *caveat)
{
	return cx_jcs_read_number(reader, &caveat->number) &&
	       caveat->number >= min && caveat->number <= max;
}

static bool read_word(struct cx_jcs *reader, struct cx_caveat *caveat)
{
	char word[80];

	if (!cx_jcs_read_text(reader, word, sizeof word))
		return false;
	if (caveat->type == CX_CAVEAT_EGRESS)
		return cx_tier_find(word, &caveat->tier);
	if (caveat->type == CX_CAVEAT_SURFACE)
		return cx_surface_find(word, &caveat->surface);
	if (!cx_caveat_is_digest(word))
		return false;
	caveat->text = cx_mem_text(word);
	return true;
}

static bool read_value(struct cx_jcs *reader, struct cx_caveat *caveat)
{
	switch (caveat->type) {
	case CX_CAVEAT_EXPIRES:
		return read_number(reader, 0, CX_JCS_NUMBER_MAX, caveat);
	case CX_CAVEAT_COMMANDS:
		return read_number(reader, 1, CX_CAVEAT_COMMANDS_MAX, caveat);
	case CX_CAVEAT_HOSTS:
		return read_hosts(reader, caveat);
	case CX_CAVEAT_EGRESS:
	case CX_CAVEAT_IMAGE:
	case CX_CAVEAT_SKILLS:
	case CX_CAVEAT_SURFACE:
		return read_word(reader, caveat);
	case CX_CAVEAT_TYPES:
		break;
	}
	return false;
}

bool cx_caveat_read(const char *bytes, size_t size,
                    struct cx_caveats *caveats)
{
	struct cx_jcs reader = { bytes, bytes + size };
	struct cx_caveat caveat = { .number = 0 };
	char name[16];

	if (!cx_jcs_take(&reader, "{") ||
	    !cx_jcs_read_text(&reader, name, sizeof name) ||
	    !cx_caveat_find(name, &caveat.type) ||
	    !cx_jcs_take(&reader, ":"))
		return false;
	if (!read_value(&reader, &caveat) || !cx_jcs_take(&reader, "}") ||
	    !cx_jcs_ended(&reader)) {
		clear(&caveat);
		return false;
	}
	cx_caveat_add(caveats, &caveat);
	return true;
}

static void write_hosts(const struct cx_caveat *caveat, struct cx_buf *ret)
{
	cx_buf_byte(ret, '[');
	for (size_t i = 0; i < caveat->host_count; i++) {
		if (i > 0)
			cx_buf_byte(ret, ',');
		cx_jcs_write_text(caveat->host[i], ret);
	}
	cx_buf_byte(ret, ']');
}

void cx_caveat_write(const struct cx_caveat *caveat, struct cx_buf *ret)
{
	cx_buf_byte(ret, '{');
	cx_jcs_write_text(cx_caveat_name(caveat->type), ret);
	cx_buf_byte(ret, ':');
	switch (caveat->type) {
	case CX_CAVEAT_EXPIRES:
	case CX_CAVEAT_COMMANDS:
		cx_jcs_write_number(caveat->number, ret);
		break;
	case CX_CAVEAT_HOSTS:
		write_hosts(caveat, ret);
		break;
	case CX_CAVEAT_IMAGE:
	case CX_CAVEAT_SKILLS:
		cx_jcs_write_text(caveat->text, ret);
		break;
	case CX_CAVEAT_EGRESS:
		cx_jcs_write_text(cx_tier_text(caveat->tier), ret);
		break;
	case CX_CAVEAT_SURFACE:
		cx_jcs_write_text(cx_surface_text(caveat->surface), ret);
		break;
	case CX_CAVEAT_TYPES:
		break;
	}
	cx_buf_byte(ret, '}');
}
