/* registration.c - see registration.h. */
#include "plane/registration.h"

#include "base/str.h"
#include "data/canon.h"
#include "plane/allowlist.h"

#define NUMBER(name_, low, high, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_), \
	  .min = (low), .max = (high) }
#define BYTES_MAX 9007199254740991LL

/* What a header may carry and a person may paste. */
static bool is_token(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789-._~+/=";

	return cx_str_only(text, letters);
}

static bool is_id(const char *text)
{
	return !cx_str_has_control(text);
}

static const struct cx_shape entry = {
	.kind = CX_SHAPE_TEXT, .min = 1, .max = CX_ALLOWLIST_TEXT_MAX,
	.about = "host, *.host or host:port",
};
static const struct cx_shape port = NUMBER(NULL, 1, 65535, "A TCP port.");

static const struct cx_shape member[] = {
	{ .name = "token", .kind = CX_SHAPE_TEXT, .required = true,
	  .min = CX_REGISTRATION_TOKEN_MIN, .max = CX_REGISTRATION_TOKEN_MAX,
	  .fits = is_token, .pattern = "^[A-Za-z0-9._~+/=-]+$",
	  .about = "What its programs show to a listener that is shared." },
	{ .name = "jobId", .kind = CX_SHAPE_TEXT, .min = 1,
	  .max = CX_REGISTRATION_ID_MAX, .fits = is_id,
	  .about = "The job; to be there with listeners of its own." },
	{ .name = "orgId", .kind = CX_SHAPE_TEXT, .min = 1,
	  .max = CX_REGISTRATION_ID_MAX, .fits = is_id,
	  .about = "Its organization; likewise." },
	{ .name = "tier", .kind = CX_SHAPE_TEXT, .word = cx_tier_word + 1,
	  .required = true, .about = "How far it may reach." },
	{ .name = "allowlist", .kind = CX_SHAPE_LIST, .sub = &entry,
	  .max = CX_REGISTRATION_ENTRIES_MAX,
	  .about = "What tier allowlist may reach." },
	{ .name = "ports", .kind = CX_SHAPE_LIST, .sub = &port, .min = 1,
	  .max = CX_DECIDE_PORTS_MAX,
	  .about = "Ports of entries that name none; 80 and 443 by default." },
	NUMBER("maxBytes", 0, BYTES_MAX, "Ceiling of both directions."),
	NUMBER("maxUpBytes", 0, BYTES_MAX, "Ceiling of what it sends."),
	NUMBER("maxDownBytes", 0, BYTES_MAX, "Ceiling of what it gets."),
	NUMBER("upRate", 1, BYTES_MAX, "Bytes a second that it may send."),
	NUMBER("downRate", 1, BYTES_MAX, "Bytes a second that it may get."),
	NUMBER("maxTunnels", 1, 1 << 20, "Connections at once."),
	NUMBER("expiresAt", 1, BYTES_MAX, "Its end, in seconds since 1970."),
	{ .name = NULL },
};

const struct cx_shape cx_registration_shape = {
	.name = "registration", .kind = CX_SHAPE_OBJECT, .sub = member,
};

static const char *text_or_none(const json_t *value, const char *name)
{
	const char *text = cx_json_text(value, name);

	return text ? text : "";
}

static uint64_t ceiling(const json_t *value, const char *name)
{
	return json_object_get(value, name)
	       ? (uint64_t)cx_json_number(value, name, 0) : UINT64_MAX;
}

static int read_entries(const json_t *list, struct cx_entry *room,
                        struct cx_err *err)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (cx_allowlist_read(text, &room[i], err) < 0)
			return cx_err_at(err, "/allowlist/%zu", i);
	}
	return 0;
}

static void read_ports(const json_t *list, struct cx_registration *ret)
{
	ret->ports = (uint8_t)json_array_size(list);
	for (size_t i = 0; i < ret->ports; i++)
		ret->port[i] = (uint16_t)json_integer_value(
			json_array_get(list, i));
}

static void digest_of(const json_t *value, struct cx_digest *ret)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_canon_write(value, &text);
	cx_digest_of(text.data, text.size, ret);
}

int cx_registration_read(const json_t *value, struct cx_entry *room,
                         struct cx_registration *ret, struct cx_err *err)
{
	const json_t *list = json_object_get(value, "allowlist");

	if (cx_shape_check(&cx_registration_shape, value, "",
	                   CX_E_INPUT_INVALID, err) < 0 ||
	    read_entries(list, room, err) < 0)
		return -1;
	*ret = (struct cx_registration){
		.token = text_or_none(value, "token"),
		.id = text_or_none(value, "jobId"),
		.org = text_or_none(value, "orgId"),
		.entry = room,
		.entries = json_array_size(list),
		.up_max = ceiling(value, "maxUpBytes"),
		.down_max = ceiling(value, "maxDownBytes"),
		.total_max = ceiling(value, "maxBytes"),
		.up_rate = ceiling(value, "upRate"),
		.down_rate = ceiling(value, "downRate"),
		.tunnels_max = (uint32_t)cx_json_number(value, "maxTunnels",
		                                        UINT32_MAX),
		.expires_at = cx_json_number(value, "expiresAt", 0),
	};
	cx_tier_find(cx_json_text(value, "tier"), &ret->tier);
	read_ports(json_object_get(value, "ports"), ret);
	digest_of(value, &ret->digest);
	return 0;
}
