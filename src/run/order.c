/* order.c - see order.h. */
#include "run/order.h"

#include "base/fd.h"
#include "base/promise.h"
#include "base/str.h"
#include "model/narrow.h"
#include "plane/document.h"
#include "run/hook.h"
#include "run/input.h"
#include "run/parcel.h"
#include "store/address.h"

size_t cx_order_count(const struct cx_order *order)
{
	return order->section.command_count ? order->section.command_count : 1;
}

const char *cx_order_runtime(const struct cx_broker *broker,
                             const struct cx_order_flags *flags)
{
	const char *name = flags->runtime ? flags->runtime
	                                  : broker->config.runtime;

	return cx_str_same(name, "native") ? NULL : name;
}

static int read_section(const json_t *doc, struct cx_order *ret,
                        struct cx_err *err)
{
	json_t *run = NULL;

	if (cx_document_section(doc, "run", &run, err) < 0 ||
	    cx_section_read(run, &ret->section, err) < 0)
		return -1;
	if (ret->flags->argv)
		cx_section_set_argv(&ret->section, ret->flags->argv);
	if (ret->flags->command)
		cx_section_set_command(&ret->section, ret->flags->command);
	return 0;
}

static int make_profile(const struct cx_config *config, struct cx_order *ret,
                        struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_digest digest;
	size_t names = 0;

	while (config->env_name[names])
		names++;
	cx_profile_make(&config->limits, &ret->profile);
	cx_profile_set_egress(&ret->profile, ret->trust.tier);
	if (cx_section_apply(&ret->section, config->env_name, names,
	                     &ret->profile, err) < 0)
		return -1;
	cx_profile_write(&ret->profile, &text);
	cx_digest_of(text.data, text.size, &digest);
	cx_digest_text(&digest, ret->profile_digest);
	return 0;
}

static json_t *question(const struct cx_order *order)
{
	const struct cx_session *session = cx_trust_session(&order->trust);
	json_t *ask = json_pack("{s:s, s:s, s:s, s:s, s:s}",
	                        "orgId", session->org_id,
	                        "userId", session->user_id,
	                        "surface", cx_surface_text(session->surface),
	                        "jobId", order->job_id,
	                        "cwd", order->section.cwd);
	const struct cx_section *section = &order->section;
	json_t *list = json_array();

	if (*session->run_id)
		json_object_set_new(ask, "runId",
		                    json_string(session->run_id));
	for (size_t i = 0; section->argv && section->argv[i]; i++)
		json_array_append_new(list, cx_json_repaired(
			section->argv[i], strlen(section->argv[i])));
	for (size_t i = 0; i < section->command_count; i++)
		json_array_append_new(list, cx_json_repaired(
			section->command[i], strlen(section->command[i])));
	json_object_set_new(ask, section->argv ? "argv" : "commands", list);
	return ask;
}

static int ask_policy(const struct cx_broker *broker,
                      const struct cx_order *order, struct cx_err *err)
{
	const char *program = broker->config.hook_command_policy;
	char reason[CX_HOOK_REASON_MAX] = "";
	CX_AUTO_JSON json_t *ask = NULL;

	if (!program)
		return 0;
	ask = question(order);
	if (CX_PROMISE(command_policy,
	               cx_hook_ask_why(program, ask, reason)))
		return 0;
	return cx_err_set(err, CX_E_COMMAND_POLICY,
	                  "hooks.command_policy doesn't allow the command%s%s",
	                  *reason ? ": " : "", reason);
}

static int open_input(struct cx_order *ret, struct cx_err *err)
{
	if (ret->flags->input)
		return cx_input_file(ret->flags->input, &ret->input_fd, err);
	if (ret->section.has_input)
		return cx_input_text(&ret->section.input, &ret->input_fd, err);
	return 0;
}

static int check_image(struct cx_broker *broker, const struct cx_order *order,
                       struct cx_err *err)
{
	if (cx_broker_need_image(broker, err) < 0)
		return -1;
	if (CX_PROMISE(caveat_image,
	               cx_narrow_admits_image(&order->trust.carrier.caveats,
	                                      broker->image.digest)))
		return 0;
	return cx_err_set(err, CX_E_CAVEAT_REFUSED,
	                  "the carrier doesn't allow this image");
}

static int check_parcels(const struct cx_order_flags *flags,
                         struct cx_err *err)
{
	const struct cx_parcel in = { flags->in, flags->in_count };
	const struct cx_parcel out = { flags->out, flags->out_count };

	if (cx_parcel_check_in(&in, err) < 0)
		return -1;
	return cx_parcel_check_out(&out, err);
}

static int check_workspace(const struct cx_order_flags *flags,
                           struct cx_err *err)
{
	const struct cx_volume_owner owner = { .name = flags->workspace };
	char key[CX_ADDRESS_KEY_MAX];

	return flags->workspace ? cx_address_key(&owner, key, err) : 0;
}

static void start(const struct cx_order_flags *flags, struct cx_order *ret)
{
	*ret = (struct cx_order){ .flags = flags, .input_fd = -1 };
	ret->job_id = ret->own_id;
}

/* What runs, within which limits. */
static int read_all(struct cx_broker *broker, const json_t *doc,
                    struct cx_order *ret, struct cx_err *err)
{
	if (read_section(doc, ret, err) < 0 ||
	    cx_section_require(&ret->section, err) < 0)
		return -1;
	return make_profile(&broker->config, ret, err);
}

int cx_order_judge(struct cx_broker *broker, const json_t *doc,
                   const struct cx_order_flags *flags, struct cx_order *ret,
                   struct cx_err *err)
{
	start(flags, ret);
	if (cx_registry_make_id(ret->own_id, err) < 0 ||
	    cx_trust_judge(broker, doc, &flags->egress, &ret->trust, err) < 0)
		return -1;
	if (ret->trust.job_id)
		ret->job_id = ret->trust.job_id;
	if (check_workspace(flags, err) < 0 ||
	    check_parcels(flags, err) < 0 ||
	    read_all(broker, doc, ret, err) < 0 ||
	    ask_policy(broker, ret, err) < 0)
		return -1;
	if (check_image(broker, ret, err) < 0)
		return -1;
	return cx_broker_hold(broker, &ret->profile.quota, err);
}

int cx_order_decide(struct cx_broker *broker, const json_t *doc,
                    const struct cx_order_flags *flags, struct cx_order *ret,
                    struct cx_err *err)
{
	if (cx_order_judge(broker, doc, flags, ret, err) < 0)
		return -1;
	return open_input(ret, err);
}

int cx_order_take_over(struct cx_broker *broker, const json_t *doc,
                       const struct cx_order_flags *flags,
                       const struct cx_order_grant *grant,
                       struct cx_order *ret, struct cx_err *err)
{
	start(flags, ret);
	snprintf(ret->own_id, sizeof ret->own_id, "%s", grant->own_id);
	ret->trust.carrier.claims.session = grant->session;
	ret->trust.is_opened = true;
	ret->trust.job_id = grant->job_id;
	ret->trust.tier = grant->tier;
	if (grant->egress &&
	    !cx_allowance_read(grant->egress, &ret->trust.allowance))
		return cx_err_set(err, CX_E_INTERNAL, "an order came without "
		                  "what it may reach");
	ret->trust.now = grant->now;
	if (grant->job_id)
		ret->job_id = grant->job_id;
	if (read_all(broker, doc, ret, err) < 0 ||
	    cx_broker_need_image(broker, err) < 0)
		return -1;
	if (!cx_str_same(broker->image.digest, grant->image))
		return cx_err_set(err, CX_E_INTERNAL, "the image isn't the one "
		                  "that was judged");
	return open_input(ret, err);
}

int cx_order_sketch(struct cx_broker *broker, const json_t *doc,
                    const struct cx_order_flags *flags, struct cx_order *ret,
                    struct cx_err *err)
{
	const struct cx_caveats none = { 0 };
	json_t *egress = NULL;

	start(flags, ret);
	if (cx_document_check(doc, err) < 0 ||
	    cx_document_section(doc, "egress", &egress, err) < 0 ||
	    cx_egress_resolve(egress, &flags->egress, &broker->config, "",
	                      &none, &ret->trust.tier, err) < 0 ||
	    read_section(doc, ret, err) < 0)
		return -1;
	return make_profile(&broker->config, ret, err);
}

void cx_order_done(struct cx_order *order)
{
	cx_trust_done(&order->trust);
	cx_section_done(&order->section);
	cx_profile_done(&order->profile);
	cx_fd_close_at(&order->input_fd);
}
