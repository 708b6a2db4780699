/* ocispec.c - see ocispec.h. */
#include "box/ocispec.h"

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/str.h"
#include "box/made.h"
#include "box/ocilinux.h"
#include "data/json.h"

static json_t *texts(const char *const *list)
{
	json_t *array = json_array();

	for (; *list; list++)
		json_array_append_new(array, json_string(*list));
	return array;
}

/* The command as the runtime executes it, or as first is told of it. */
static json_t *arguments(const struct cx_ocispec *spec)
{
	const struct cx_box *box = spec->box;
	json_t *array = json_array();
	CX_AUTO_FREE char *cpus = cx_mem_print("%llu",
		(unsigned long long)box->profile->quota.cpus_milli);
	bool script = box->command &&
	              strlen(box->command) > CX_BOX_ARGUMENT_MAX_BYTES;
	const char *const first[] = {
		CX_OCISPEC_INNER, box->profile->cwd, cpus,
		!box->command ? "program" : script ? "file" : "shell",
	};

	for (size_t i = 0; spec->hosted && i < CX_COUNT(first); i++)
		json_array_append_new(array, json_string(first[i]));
	for (size_t i = 0; !box->command && box->argv[i]; i++)
		json_array_append_new(array, json_string(box->argv[i]));
	if (box->command && !spec->hosted) {
		json_array_append_new(array, json_string("/bin/bash"));
		json_array_append_new(array, json_string("-c"));
	}
	if (box->command)
		json_array_append_new(array, json_string(
			script && spec->hosted ? CX_OCISPEC_SCRIPT
			                       : box->command));
	return array;
}

static json_t *no_capabilities(void)
{
	return json_pack("{s:[], s:[], s:[], s:[], s:[]}", "bounding",
	                 "effective", "inheritable", "permitted", "ambient");
}

static void add_limit(json_t *list, const char *name, uint64_t soft,
                      uint64_t hard)
{
	json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "type", name,
	                                      "hard", (json_int_t)hard,
	                                      "soft", (json_int_t)soft));
}

/* As sys/rlimit.c sets them. */
static json_t *limits(const struct cx_ocispec *spec)
{
	const struct cx_profile *profile = spec->box->profile;
	json_t *list = json_array();

	add_limit(list, "RLIMIT_CORE", profile->core_bytes,
	          profile->core_bytes);
	add_limit(list, "RLIMIT_FSIZE", profile->quota.file_size_bytes,
	          profile->quota.file_size_bytes);
	add_limit(list, "RLIMIT_NOFILE", profile->nofile_soft,
	          profile->nofile_hard);
	if (spec->processes)
		add_limit(list, "RLIMIT_NPROC", spec->processes,
		          spec->processes);
	add_limit(list, "RLIMIT_STACK", 8 << 20, INT64_MAX);
	add_limit(list, "RLIMIT_MEMLOCK", 8 << 20, 8 << 20);
	add_limit(list, "RLIMIT_MSGQUEUE", 819200, 819200);
	add_limit(list, "RLIMIT_RTPRIO", 0, 0);
	add_limit(list, "RLIMIT_NICE", 0, 0);
	return list;
}

static json_t *process(const struct cx_ocispec *spec)
{
	const struct cx_profile *profile = spec->box->profile;
	json_t *env = json_array();
	json_t *all;

	for (size_t i = 0; i < profile->env_count; i++)
		json_array_append_new(env, json_string(profile->env[i]));
	all = json_pack("{s:b, s:{s:i, s:i, s:i, s:[]}, s:o, s:o, s:s}",
	                "terminal", 0, "user", "uid", profile->uid, "gid",
	                profile->gid, "umask", profile->umask,
	                "additionalGids", "args", arguments(spec), "env", env,
	                "cwd", spec->hosted ? "/" : profile->cwd);
	json_object_set_new(all, "capabilities", no_capabilities());
	json_object_set_new(all, "rlimits", limits(spec));
	json_object_set_new(all, "noNewPrivileges", json_true());
	return all;
}

static void add_mount(json_t *list, const char *target, const char *type,
                      const char *source, json_t *options)
{
	json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}",
		"destination", target, "type", type, "source", source,
		"options", options));
}

static void add_tmpfs(json_t *list, const struct cx_plan_item *item)
{
	static const char *const common[] = { "nosuid", "nodev", "mode=1777",
	                                      NULL };
	CX_AUTO_FREE char *size = cx_mem_print("size=%llu",
		(unsigned long long)item->bytes);
	CX_AUTO_FREE char *inodes = cx_mem_print("nr_inodes=%llu",
		(unsigned long long)item->inodes);
	json_t *options = texts(common);

	json_array_append_new(options, json_string(size));
	json_array_append_new(options, json_string(inodes));
	if (item->step == CX_STEP_SHM)
		json_array_append_new(options, json_string("noexec"));
	add_mount(list, item->target, "tmpfs", "tmpfs", options);
}

static void add_proc(json_t *list, bool pid_only)
{
	static const char *const full[] = { "ro", "nosuid", "nodev", "noexec",
	                                    NULL };
	json_t *options = texts(full);

	if (pid_only) {
		json_array_append_new(options,
		                      json_string("hidepid=invisible"));
		json_array_append_new(options, json_string("subset=pid"));
	}
	add_mount(list, "/proc", "proc", "proc", options);
}

static void add_dev(json_t *list, bool hosted)
{
	static const char *const own[] = { "bind", "ro", "nosuid", "noexec",
	                                   NULL };
	static const char *const theirs[] = { "nosuid", "noexec", "mode=755",
	                                      "size=64k", NULL };

	if (hosted)
		add_mount(list, "/dev", "bind", CX_OCISPEC_DEV, texts(own));
	else
		add_mount(list, "/dev", "tmpfs", "tmpfs", texts(theirs));
}

static void add_bind(json_t *list, const struct cx_plan_item *item)
{
	static const char *const both[] = { "bind", "nosuid", "nodev", NULL };
	json_t *options = texts(both);

	json_array_append_new(options,
	                      json_string(item->writable ? "rw" : "ro"));
	add_mount(list, item->target, "bind", item->name, options);
}

/* By the plan, item by item: what isn't in it isn't mounted. */
static json_t *mounts(const struct cx_ocispec *spec)
{
	static const char *const run[] = { "bind", "ro", "nosuid", "nodev",
	                                   NULL };
	json_t *list = json_array();

	for (size_t i = 0; i < spec->plan->count; i++) {
		const struct cx_plan_item *item = &spec->plan->item[i];

		if (item->step == CX_STEP_PROC)
			add_proc(list, spec->box->profile->proc_pid);
		if (item->step == CX_STEP_DEV)
			add_dev(list, spec->hosted);
		if (item->step == CX_STEP_SHM || item->step == CX_STEP_TMP)
			add_tmpfs(list, item);
		if (item->source == CX_SOURCE_VOLUME)
			add_bind(list, item);
	}
	if (spec->hosted)
		add_mount(list, "/run/cx", "bind", CX_OCISPEC_RUN,
		          texts(run));
	return list;
}

json_t *cx_ocispec_make(const struct cx_ocispec *spec)
{
	return json_pack("{s:s, s:o, s:{s:s, s:b}, s:s, s:o, s:o}",
	                 "ociVersion", "1.0.2", "process", process(spec),
	                 "root", "path", "rootfs", "readonly", 1,
	                 "hostname", CX_MADE_HOST, "mounts", mounts(spec),
	                 "linux", cx_ocilinux_make(spec));
}

/* A name of the bundle: a volume of the plan's, or one of our two folders. */
static bool is_ours(const struct cx_plan *plan, const char *source)
{
	if (strchr(source, '/'))
		return false;
	if (cx_str_same(source, CX_OCISPEC_DEV) ||
	    cx_str_same(source, CX_OCISPEC_RUN))
		return true;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].source == CX_SOURCE_VOLUME &&
		    cx_str_same(plan->item[i].name, source))
			return true;
	return false;
}

int cx_ocispec_check(const json_t *config, const struct cx_plan *plan,
                     struct cx_err *err)
{
	const json_t *list = json_object_get(config, "mounts");

	if (!json_is_object(json_object_get(json_object_get(config, "linux"),
	                                    "seccomp")))
		return cx_err_set(err, CX_E_INTERNAL, "the runtime would get "
		                  "no filter of system calls");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *mount = json_array_get(list, i);
		const char *type = cx_json_text(mount, "type");
		const char *source = cx_json_text(mount, "source");

		if (cx_str_same(type, "proc") || cx_str_same(type, "tmpfs"))
			continue;
		if (cx_str_same(type, "bind") && is_ours(plan, source))
			continue;
		return cx_err_set(err, CX_E_BIND_MOUNT_REFUSED,
		                  "the runtime would mount \"%s\", which isn't "
		                  "ours", source);
	}
	return 0;
}
