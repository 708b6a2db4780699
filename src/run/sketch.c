/* sketch.c - see sketch.h. */
#include "run/sketch.h"

#include "base/mem.h"
#include "box/box.h"
#include "box/ocirun.h"

static const struct cx_shape text_item = { .kind = CX_SHAPE_TEXT };

static const struct cx_shape member[] = {
	{ .name = "profile", .kind = CX_SHAPE_OBJECT, .open = true,
	  .required = true,
	  .about = "Limits, environment, folder and identity." },
	{ .name = "profileDigest", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "Digest of the profile's canonical JSON." },
	{ .name = "imageDigest", .kind = CX_SHAPE_TEXT,
	  .about = "The base image." },
	{ .name = "layerDigests", .kind = CX_SHAPE_LIST, .sub = &text_item,
	  .about = "Its layers, the top first." },
	{ .name = NULL },
};

const struct cx_shape cx_sketch_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = member, .open = true,
};

static json_t *layers(const struct cx_image *image)
{
	json_t *list = json_array();

	for (size_t i = 0; i < image->layer_count; i++)
		json_array_append_new(list,
		                      json_string(image->layer[i].diff_id));
	return list;
}

int cx_sketch_json(struct cx_broker *broker, const json_t *doc,
                   const struct cx_order_flags *flags, json_t **ret_doc,
                   struct cx_err *err)
{
	CX_AUTO_ORDER struct cx_order order;
	CX_AUTO_BUF struct cx_buf text = { 0 };
	json_t *profile = NULL;

	if (cx_order_sketch(broker, doc, flags, &order, err) < 0 ||
	    cx_broker_need_image(broker, err) < 0)
		return -1;
	cx_profile_write(&order.profile, &text);
	if (cx_json_parse(text.data, text.size, "profile", &profile, err) < 0)
		return -1;
	*ret_doc = json_pack("{s:o, s:s, s:s, s:o}", "profile", profile,
	                     "profileDigest", order.profile_digest,
	                     "imageDigest", broker->image.digest,
	                     "layerDigests", layers(&broker->image));
	return 0;
}

/* A host uid of the range, by way of example: none is taken for a sketch. */
enum { EXAMPLE_UID = 0x60000000 };

/* Stands for the way to a gateway: nothing is made from a sketch. */
static int hand_over(void *context, struct cx_portal *portal,
                     struct cx_err *err)
{
	(void)context;
	(void)portal;
	return cx_err_set(err, CX_E_INTERNAL, "a sketch has no gateway");
}

/* The box that exec would make, without descriptors of this run's. */
static int fill_box(struct cx_broker *broker, const json_t *doc,
                    struct cx_order *order, struct cx_box *ret,
                    struct cx_err *err)
{
	union { const char **given; char *const *taken; } argv;

	if (cx_order_sketch(broker, doc, order->flags, order, err) < 0 ||
	    cx_broker_need_image(broker, err) < 0)
		return -1;
	cx_box_start(ret);
	ret->profile = &order->profile;
	ret->id = "sketch";
	for (size_t i = 0; i < broker->image.layer_count; i++)
		ret->layer[i] = (struct cx_box_layer){
			broker->image.layer[i].diff_id,
			broker->image.layer[i].root_fd,
		};
	ret->layer_count = broker->image.layer_count;
	ret->workspace_name = "workspace";
	if (order->profile.egress != CX_TIER_NONE)
		ret->portal.hand_over = hand_over;
	argv.given = order->section.argv;
	ret->argv = argv.taken;
	if (!ret->argv)
		ret->command = order->section.command_count ?
		               order->section.command[0] : "";
	ret->runtime = cx_order_runtime(broker, order->flags);
	ret->outer_uid = broker->config.uid_count ? broker->config.uid_first
	                                          : EXAMPLE_UID;
	ret->outer_gid = ret->outer_uid;
	ret->void_uid = ret->outer_uid + 1;
	return 0;
}

int cx_sketch_oci(struct cx_broker *broker, const json_t *doc,
                  const struct cx_order_flags *flags, json_t **ret_doc,
                  struct cx_err *err)
{
	CX_AUTO_ORDER struct cx_order order = { .flags = flags };
	struct cx_box box;

	if (fill_box(broker, doc, &order, &box, err) < 0)
		return -1;
	return cx_ocirun_describe(&box, ret_doc, err);
}

int cx_sketch_explain(struct cx_broker *broker, const json_t *doc,
                      const struct cx_order_flags *flags, struct cx_buf *ret,
                      struct cx_err *err)
{
	CX_AUTO_ORDER struct cx_order order = { .flags = flags };
	CX_AUTO_FREE struct cx_plan *plan = cx_mem_new(sizeof *plan);
	struct cx_box box;

	if (fill_box(broker, doc, &order, &box, err) < 0 ||
	    cx_box_plan(&box, plan, err) < 0)
		return -1;
	cx_plan_print(plan, ret);
	return 0;
}
