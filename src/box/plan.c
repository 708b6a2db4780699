/* plan.c - see plan.h. */
#include "box/plan.h"

#include "base/str.h"
#include "box/box.h"
#include "data/digest.h"
#include "sys/dev.h"

static const char *const writable[] = {
	"/workspace", "/tmp", "/dev/shm", NULL
};

const char *cx_plan_source(enum cx_source source)
{
	static const char *const name[] = {
		"", "layer", "volume", "made", "kernel", "device"
	};

	return name[source];
}

/* Full plans are refused by cx_plan_make before this can drop anything. */
static struct cx_plan_item *add(struct cx_plan *plan, enum cx_step step)
{
	struct cx_plan_item *item = &plan->item[plan->count++];

	*item = (struct cx_plan_item){ .step = step };
	return item;
}

static struct cx_plan_item *add_mount(struct cx_plan *plan, enum cx_step step,
                                      enum cx_source source, const char *name,
                                      const char *target)
{
	struct cx_plan_item *item = add(plan, step);

	item->source = source;
	snprintf(item->name, sizeof item->name, "%s", name);
	item->target = target;
	return item;
}

static void add_tmpfs(struct cx_plan *plan, enum cx_step step,
                      const char *target, uint64_t bytes, uint64_t inodes)
{
	struct cx_plan_item *item = add_mount(plan, step, CX_SOURCE_KERNEL,
	                                      "tmpfs", target);

	item->bytes = bytes;
	item->inodes = inodes;
	item->writable = step != CX_STEP_SCRIPT;
}

static void add_outside(const struct cx_box *box,
                        const struct cx_plan_world *world,
                        struct cx_plan *plan)
{
	if (world->privileged)
		add(plan, CX_STEP_USERNS);
	if (world->privileged)
		add(plan, CX_STEP_VOLUMES);
	if (world->privileged || world->groups || box->guard ||
	    box->hooks.orphaned)
		add(plan, CX_STEP_SWEEPER);
	add(plan, CX_STEP_PIPES);
	if (world->groups && world->born_in)
		add(plan, CX_STEP_CGROUP);
	add(plan, CX_STEP_CLONE);
	if (world->groups && !world->born_in)
		add(plan, CX_STEP_CGROUP);
}

static void add_root(const struct cx_box *box,
                     const struct cx_plan_world *world, struct cx_plan *plan)
{
	if (world->staged)
		add_mount(plan, CX_STEP_STAGING, CX_SOURCE_KERNEL, "tmpfs",
		          NULL);
	add_mount(plan, CX_STEP_ROOT, CX_SOURCE_MADE, "", "/");
	for (size_t i = 0; i < box->layer_count; i++)
		add_mount(plan, CX_STEP_ROOT, CX_SOURCE_LAYER,
		          box->layer[i].digest, "/");
}

static void add_mounts(const struct cx_box *box, struct cx_plan *plan)
{
	const struct cx_profile *profile = box->profile;

	add_mount(plan, CX_STEP_DEV, CX_SOURCE_KERNEL, "tmpfs", "/dev");
	for (size_t i = 0; cx_dev_name[i]; i++)
		add_mount(plan, CX_STEP_DEVICE, CX_SOURCE_DEVICE,
		          cx_dev_name[i], "/dev");
	add_mount(plan, CX_STEP_PROC, CX_SOURCE_KERNEL, "proc", "/proc");
	if (!profile->proc_pid)
		add(plan, CX_STEP_MASK);
	add_tmpfs(plan, CX_STEP_SHM, "/dev/shm", profile->shm_bytes,
	          profile->tmp_inodes);
	add_tmpfs(plan, CX_STEP_TMP, "/tmp", profile->quota.tmp_bytes,
	          profile->tmp_inodes);
}

/* Of the command that runs here, and no other. */
static void add_own(const struct cx_box *box, struct cx_plan *plan)
{
	add_mount(plan, CX_STEP_WORKSPACE, CX_SOURCE_VOLUME,
	          box->workspace_name ? box->workspace_name : "",
	          "/workspace")->writable = true;
	if (box->skills_name)
		add_mount(plan, CX_STEP_SKILLS, CX_SOURCE_VOLUME,
		          box->skills_name, "/skills");
	if (box->command && strlen(box->command) > CX_BOX_ARGUMENT_MAX_BYTES)
		add_tmpfs(plan, CX_STEP_SCRIPT, "/run/cx",
		          CX_BOX_COMMAND_MAX_BYTES + 65536, 4);
}

static bool is_due(const struct cx_box *box,
                   const struct cx_plan_world *world, enum cx_step step)
{
	if (step == CX_STEP_PORTAL)
		return box->portal.hand_over != NULL;
	if (step == CX_STEP_AWAIT)
		return world->waits;
	return step != CX_STEP_ENTER_CGROUP ||
	       (world->groups && !world->born_in);
}

static void add_inside(const struct cx_box *box,
                       const struct cx_plan_world *world, struct cx_plan *plan)
{
	add(plan, CX_STEP_CLOSE);
	add(plan, CX_STEP_HERITAGE);
	if (!world->privileged)
		add(plan, CX_STEP_BROKER);
	add(plan, CX_STEP_PRIVATE);
	add(plan, CX_STEP_HOSTNAME);
	add_root(box, world, plan);
	add_mounts(box, plan);
	if (!world->waits)
		add_own(box, plan);
	for (enum cx_step step = CX_STEP_NETWORK; step < CX_STEP_COUNT;
	     step++) {
		if (!is_due(box, world, step))
			continue;
		add(plan, step);
		if (step == CX_STEP_AWAIT)
			add_own(box, plan);
	}
}

int cx_plan_make(const struct cx_box *box, const struct cx_plan_world *world,
                 struct cx_plan *ret, struct cx_err *err)
{
	ret->count = 0;
	if (box->layer_count == 0 || box->layer_count > CX_BOX_LAYERS_MAX)
		return cx_err_set(err, CX_E_INTERNAL,
		                  "a sandbox of %zu layers", box->layer_count);
	add_outside(box, world, ret);
	add_inside(box, world, ret);
	return 0;
}

static bool in_list(const char *const *list, const char *text)
{
	for (; *list; list++)
		if (cx_str_same(*list, text))
			return true;
	return false;
}

/* A volume's name leads nowhere: no separator, no dot first, a small set. */
static bool is_volume(const char *name)
{
	return cx_str_only(name, "abcdefghijklmnopqrstuvwxyz"
	                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                         "0123456789-_.:") && *name != '.';
}

static bool is_ours(const struct cx_plan_item *item)
{
	struct cx_digest digest;

	switch (item->source) {
	case CX_SOURCE_NONE:
	case CX_SOURCE_MADE:
		return item->name[0] == '\0';
	case CX_SOURCE_LAYER:
		return cx_digest_parse(item->name, &digest);
	case CX_SOURCE_VOLUME:
		return is_volume(item->name);
	case CX_SOURCE_KERNEL:
		return cx_str_same(item->name, "tmpfs") ||
		       cx_str_same(item->name, "proc");
	case CX_SOURCE_DEVICE:
		return in_list(cx_dev_name, item->name);
	}
	return false;
}

static bool may_be_written(const struct cx_plan_item *item)
{
	return !item->writable || in_list(writable, item->target);
}

int cx_plan_check(const struct cx_plan *plan, struct cx_err *err)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct cx_plan_item *item = &plan->item[i];

		if (!is_ours(item))
			return cx_err_set(err, CX_E_BIND_MOUNT_REFUSED,
			                  "step %s would mount \"%s\", neither"
			                  " a volume nor a layer of ours",
			                  cx_step_name(item->step),
			                  item->name);
		if (!may_be_written(item))
			return cx_err_set(err, CX_E_BIND_MOUNT_REFUSED,
			                  "step %s would make %s writable",
			                  cx_step_name(item->step),
			                  item->target);
	}
	return 0;
}

static void print_item(const struct cx_plan_item *item, struct cx_buf *ret)
{
	cx_buf_print(ret, "%-7s  %-12s  ",
	             cx_step_place_name(cx_step_place(item->step)),
	             cx_step_name(item->step));
	if (item->source != CX_SOURCE_NONE)
		cx_buf_print(ret, "%s%s%s -> %s%s",
		             cx_plan_source(item->source),
		             item->name[0] ? " " : "", item->name,
		             item->target ? item->target : "(not kept)",
		             item->writable ? " (writable)" : "");
	if (item->bytes)
		cx_buf_print(ret, " %llu bytes, %llu inodes",
		             (unsigned long long)item->bytes,
		             (unsigned long long)item->inodes);
	cx_buf_print(ret, "%s%s\n", item->source != CX_SOURCE_NONE ? ": " : "",
	             cx_step_about(item->step));
}

void cx_plan_print(const struct cx_plan *plan, struct cx_buf *ret)
{
	for (size_t i = 0; i < plan->count; i++)
		print_item(&plan->item[i], ret);
}
