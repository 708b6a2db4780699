/* ocilinux.c - see ocilinux.h. */
#include "box/ocilinux.h"

#include "base/mem.h"
#include "data/json.h"
#include "sys/dev.h"
#include "sys/ocifilter.h"
#include "sys/procfs.h"

enum { PERIOD_US = 100000 };

static json_t *namespaces(void)
{
	static const char *const name[] = {
		"user", "mount", "pid", "ipc", "uts", "network", "cgroup",
		NULL
	};
	json_t *list = json_array();

	for (size_t i = 0; name[i]; i++)
		json_array_append_new(list, json_pack("{s:s}", "type",
		                                      name[i]));
	return list;
}

/* runc and crun demand that 0 is mapped: to an id that is nobody's. */
static json_t *map(uint32_t inner, uint32_t outer, uint32_t nobody)
{
	return json_pack("[{s:i, s:I, s:i}, {s:i, s:I, s:i}]",
	                 "containerID", 0, "hostID", (json_int_t)nobody,
	                 "size", 1, "containerID", (int)inner, "hostID",
	                 (json_int_t)outer, "size", 1);
}

static void allow_device(json_t *list, unsigned major, unsigned minor)
{
	json_array_append_new(list, json_pack("{s:b, s:s, s:i, s:i, s:s}",
		"allow", 1, "type", "c", "major", (int)major, "minor",
		(int)minor, "access", "rw"));
}

static json_t *devices(void)
{
	json_t *list = json_pack("[{s:b, s:s}]", "allow", 0, "access", "rwm");

	for (size_t i = 0; cx_dev_name[i]; i++) {
		unsigned major, minor;

		if (cx_dev_number(cx_dev_name[i], &major, &minor))
			allow_device(list, major, minor);
	}
	return list;
}

static json_t *resources(const struct cx_ocispec *spec)
{
	const struct cx_quota *quota = &spec->box->profile->quota;
	json_t *memory = json_pack("{s:I}", "limit",
	                           (json_int_t)quota->memory_bytes);

	if (spec->swap)
		json_object_set_new(memory, "swap", json_integer(
			(json_int_t)quota->memory_bytes));
	return json_pack("{s:o, s:o, s:{s:I, s:I}, s:{s:I}}",
	                 "devices", devices(), "memory", memory,
	                 "cpu", "quota", (json_int_t)(quota->cpus_milli *
	                                              PERIOD_US / 1000),
	                 "period", (json_int_t)PERIOD_US,
	                 "pids", "limit", (json_int_t)quota->pids);
}

static json_t *masks(bool pid_only)
{
	json_t *list = json_array();

	for (size_t i = 0; !pid_only && i < cx_procfs_mask_count; i++) {
		CX_AUTO_FREE char *path = NULL;

		if (cx_procfs_mask[i].for_root)
			continue;
		path = cx_mem_print("/proc/%s", cx_procfs_mask[i].name);
		json_array_append_new(list, json_string(path));
	}
	return list;
}

/* Made at build time from our own list: it always parses. */
static json_t *filter(void)
{
	size_t size;
	const char *text = cx_ocifilter_get(&size);
	json_t *value = NULL;
	struct cx_err ignored;

	if (cx_json_parse(text, size, "filter", &value, &ignored) < 0)
		return json_null();
	return value;
}

json_t *cx_ocilinux_make(const struct cx_ocispec *spec)
{
	const struct cx_box *box = spec->box;
	const struct cx_profile *profile = box->profile;
	CX_AUTO_FREE char *group = cx_mem_print("/cx/cx.%s", box->id);

	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:[], s:o}",
	                 "namespaces", namespaces(),
	                 "uidMappings", map(profile->uid, spec->outer_uid,
	                                    box->void_uid),
	                 "gidMappings", map(profile->gid, spec->outer_gid,
	                                    box->void_uid),
	                 "cgroupsPath", group,
	                 "resources", resources(spec),
	                 "rootfsPropagation", "private",
	                 "maskedPaths", masks(profile->proc_pid),
	                 "readonlyPaths", "seccomp", filter());
}
