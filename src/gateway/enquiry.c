/* enquiry.c - see enquiry.h. */
#include "gateway/enquiry.h"

#include "base/str.h"
#include "plane/registration.h"

static const char *const verbs[] = {
	[CX_ENQUIRY_REGISTER] = "register",
	[CX_ENQUIRY_UNREGISTER] = "unregister",
	[CX_ENQUIRY_REVOKE] = "revoke",
	[CX_ENQUIRY_USAGE] = "usage",
	[CX_ENQUIRY_RELOAD] = "reload",
	[CX_ENQUIRY_VERBS] = NULL,
};
static const char *const roles[] = {
	[CX_PORTAL_PROXY] = "proxy", [CX_PORTAL_ANY] = "any",
	[CX_PORTAL_PORT] = "port", [CX_PORTAL_DNS_UDP] = "dns_udp",
	[CX_PORTAL_DNS_TCP] = "dns_tcp", NULL,
};

static const struct cx_shape listener_member[] = {
	{ .name = "role", .kind = CX_SHAPE_TEXT, .word = roles,
	  .required = true },
	{ .name = "port", .kind = CX_SHAPE_NUMBER, .min = 1, .max = 65535,
	  .required = true },
	{ .name = "redirected", .kind = CX_SHAPE_BOOL },
	{ .name = NULL },
};
static const struct cx_shape one_listener = {
	.kind = CX_SHAPE_OBJECT, .sub = listener_member,
};
static const struct cx_shape member[] = {
	{ .name = "do", .kind = CX_SHAPE_TEXT, .word = verbs,
	  .required = true },
	{ .name = "registration", .kind = CX_SHAPE_ANY },
	{ .name = "listeners", .kind = CX_SHAPE_LIST, .sub = &one_listener,
	  .max = CX_JOB_LISTENERS_MAX },
	{ .name = "tollMaxBytes", .kind = CX_SHAPE_NUMBER, .max = 1LL << 53 },
	{ .name = "token", .kind = CX_SHAPE_TEXT,
	  .max = CX_REGISTRATION_TOKEN_MAX },
	{ .name = "jobId", .kind = CX_SHAPE_TEXT,
	  .max = CX_REGISTRATION_ID_MAX },
	{ .name = NULL },
};
static const struct cx_shape shape = {
	.name = "question", .kind = CX_SHAPE_OBJECT, .sub = member,
};

/* It is one of them: the shape was checked. */
static unsigned word_at(const char *const *words, const char *text)
{
	unsigned at = 0;

	while (!cx_str_same(words[at], text))
		at++;
	return at;
}

static void read_listener(const json_t *value, struct cx_job_listener *ret)
{
	*ret = (struct cx_job_listener){
		.role = (enum cx_portal_role)word_at(
			roles, cx_json_text(value, "role")),
		.port = (uint16_t)cx_json_number(value, "port", 0),
		.redirected = cx_json_is_true(value, "redirected"),
		.fd = -1,
	};
}

int cx_enquiry_read(const char *text, size_t size, struct cx_enquiry *ret,
                    struct cx_err *err)
{
	const json_t *list;

	*ret = (struct cx_enquiry){ .whole = NULL };
	if (cx_json_parse(text, size, "the question", &ret->whole, err) < 0 ||
	    cx_shape_check(&shape, ret->whole, "", CX_E_INPUT_INVALID,
	                   err) < 0)
		return -1;
	ret->verb = (enum cx_enquiry_verb)word_at(
		verbs, cx_json_text(ret->whole, "do"));
	ret->registration = json_object_get(ret->whole, "registration");
	ret->token = cx_json_text(ret->whole, "token");
	ret->id = cx_json_text(ret->whole, "jobId");
	list = json_object_get(ret->whole, "listeners");
	ret->listeners = json_array_size(list);
	for (size_t i = 0; i < ret->listeners; i++)
		read_listener(json_array_get(list, i), &ret->listener[i]);
	ret->has_toll = json_object_get(ret->whole, "tollMaxBytes");
	ret->toll_max = (uint64_t)cx_json_number(ret->whole, "tollMaxBytes",
	                                          0);
	return 0;
}

void cx_enquiry_done(struct cx_enquiry *enquiry)
{
	json_decref(enquiry->whole);
	enquiry->whole = NULL;
}
