/* config.c - see config.h. */
#include "plane/config.h"

#include <errno.h>
#include <fcntl.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/screen.h"
#include "data/yaml.h"
#include "plane/setting.h"

static void set_defaults(struct cx_config *config)
{
	*config = (struct cx_config){
		.runtime = "native",
		.egress_tier = CX_TIER_DEFAULT_INTERNET,
		.gateway = "auto",
		.port = { 80, 443 },
		.port_count = 2,
		.egress_max_bytes = 1ULL << 30,
		.log_max_bytes = 64ULL << 20,
		.log_keep = 5,
		.seal_ttl = 900,
		.seal_max_ttl = 86400,
		.store_shared = "/var/lib/cx",
	};
	cx_quota_default(&config->limits);
}

/* The text at section/name, fallback when it isn't there. */
static const char *text_at(const json_t *section, const char *name,
                           const char *fallback)
{
	const char *text = cx_json_text(section, name);

	return text ? text : fallback;
}

static bool is_word(const json_t *section, const char *name, const char *word)
{
	return cx_str_same(text_at(section, name, ""), word);
}

static void take_number(const json_t *section, const char *name,
                        uint64_t *number)
{
	*number = (uint64_t)cx_json_number(section, name, (int64_t)*number);
}

static void take_lists(struct cx_config *config, const json_t *limits)
{
	const json_t *list = json_object_get(limits, "best_effort");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));

		config->limits.best_effort[cx_quota_find(name)] = true;
	}
	list = json_object_get(limits, "env_names");
	for (size_t i = 0; i < json_array_size(list); i++)
		config->env_name[i] = json_string_value(
			json_array_get(list, i));
}

static int take_limits(struct cx_config *config, const json_t *limits,
                       struct cx_err *err)
{
	struct cx_quota *quota = &config->limits;
	const json_t *cpus = json_object_get(limits, "cpus");

	take_number(limits, "memory_bytes", &quota->memory_bytes);
	take_number(limits, "pids", &quota->pids);
	take_number(limits, "wall_ms", &quota->wall_ms);
	take_number(limits, "cpu_ms", &quota->cpu_ms);
	take_number(limits, "grace_ms", &quota->grace_ms);
	take_number(limits, "stdout_bytes", &quota->stdout_bytes);
	take_number(limits, "stderr_bytes", &quota->stderr_bytes);
	take_number(limits, "file_size_bytes", &quota->file_size_bytes);
	take_number(limits, "workspace_kib", &quota->workspace_kib);
	take_number(limits, "inodes", &quota->inodes);
	take_number(limits, "tmp_bytes", &quota->tmp_bytes);
	for (unsigned i = 0; i < CX_QUOTA_WALLS; i++)
		if (is_word(limits, "workspace_wall", cx_quota_wall_word[i]))
			quota->workspace_wall = (enum cx_quota_wall)i;
	if (is_word(limits, "on_output_cap", "truncate"))
		quota->on_output_cap = CX_QUOTA_CAP_TRUNCATE;
	take_lists(config, limits);
	if (!cpus)
		return 0;
	quota->cpus_milli = (uint64_t)(json_number_value(cpus) * 1000 + 0.5);
	if (quota->cpus_milli >= 10)
		return 0;
	cx_err_set(err, CX_E_CONFIG_INVALID, "must be at least 0.01");
	return cx_err_at(err, "/limits/cpus");
}

static void take_egress(struct cx_config *config, const json_t *egress)
{
	const json_t *ports = json_object_get(egress, "ports");
	const json_t *log = json_object_get(egress, "log");

	cx_tier_find(text_at(egress, "tier", "default_internet"),
	             &config->egress_tier);
	config->gateway = text_at(egress, "gateway", config->gateway);
	take_number(egress, "max_bytes", &config->egress_max_bytes);
	config->log_path = cx_json_text(log, "path");
	take_number(log, "max_bytes", &config->log_max_bytes);
	take_number(log, "keep", &config->log_keep);
	if (!ports)
		return;
	config->port_count = json_array_size(ports);
	for (size_t i = 0; i < config->port_count; i++)
		config->port[i] = (uint16_t)json_integer_value(
			json_array_get(ports, i));
}

static void take_top(struct cx_config *config)
{
	const json_t *tree = config->tree, *part;
	struct cx_err ignored;

	config->l0 = cx_json_text(tree, "l0");
	config->rollout_text = cx_json_text(tree, "rollout");
	config->rollout = cx_binding_rolled_out(config->rollout_text);
	/* the file was checked: it is one of the words */
	cx_binding_placement(text_at(tree, "placement", "local"),
	                     &config->placement, &ignored);
	config->runtime = text_at(tree, "runtime", config->runtime);
	part = json_object_get(tree, "defaults");
	config->default_org = cx_json_text(part, "org");
	config->default_user = cx_json_text(part, "user");
	part = json_object_get(tree, "uid_range");
	config->uid_first = (uint32_t)cx_json_number(part, "first", 0);
	config->uid_count = (uint32_t)cx_json_number(part, "count", 0);
	part = json_object_get(tree, "store");
	config->store_shared = text_at(part, "shared", config->store_shared);
}

static int take_seal(struct cx_config *config, const json_t *seal,
                     struct cx_err *err)
{
	config->seal_max_ttl = cx_json_number(seal, "max_ttl",
	                                      config->seal_max_ttl);
	config->seal_ttl = cx_json_number(seal, "ttl", config->seal_ttl);
	config->seal_skew = cx_json_number(seal, "skew", config->seal_skew);
	if (config->seal_ttl <= config->seal_max_ttl)
		return 0;
	if (!json_object_get(seal, "ttl")) {
		config->seal_ttl = config->seal_max_ttl;
		return 0;
	}
	cx_err_set(err, CX_E_CONFIG_INVALID,
	           "must be at most seal.max_ttl (%lld)",
	           (long long)config->seal_max_ttl);
	return cx_err_at(err, "/seal/ttl");
}

static void take_services(struct cx_config *config)
{
	const json_t *part = json_object_get(config->tree, "hooks");

	config->hook_liveness = cx_json_text(part, "liveness");
	config->hook_command_policy = cx_json_text(part, "command_policy");
	config->hook_stdio = cx_json_text(part, "stdio");
	config->hook_teardown = cx_json_text(part, "teardown");
	part = json_object_get(config->tree, "audit");
	if (is_word(part, "sync", "none"))
		config->audit_sync = CX_CONFIG_SYNC_NONE;
	if (is_word(part, "sync", "each"))
		config->audit_sync = CX_CONFIG_SYNC_EACH;
}

static int take_tree(struct cx_config *config, struct cx_err *err)
{
	const json_t *tree = config->tree;

	if (cx_shape_check(&cx_setting_shape, tree, "", CX_E_CONFIG_INVALID,
	                   err) < 0)
		return -1;
	take_top(config);
	take_egress(config, json_object_get(tree, "egress"));
	take_services(config);
	if (take_limits(config, json_object_get(tree, "limits"), err) < 0)
		return -1;
	return take_seal(config, json_object_get(tree, "seal"), err);
}

/* The file's text; *ret_fd -1 when there is none at path. */
static int open_file(const char *path, int *ret_fd, struct cx_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return cx_err_sys(err, CX_E_CONFIG_INVALID, "%.400s", path);
	*ret_fd = fd;
	return 0;
}

/* $XDG_CONFIG_HOME, else ~/.config; NULL when there is no home. */
static char *user_file(void)
{
	const char *folder = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (folder && folder[0] == '/')
		return cx_mem_print("%s/cx/config.yaml", folder);
	if (home && home[0] == '/')
		return cx_mem_print("%s/.config/cx/config.yaml", home);
	return NULL;
}

/* The configuration's descriptor and path; *ret_fd -1 when there is none. */
static int find_file(int *ret_fd, char **ret_path, struct cx_err *err)
{
	const char *named = getenv("CX_CONFIG");
	CX_AUTO_FREE char *path = NULL;

	if (named && *named) {
		path = cx_mem_text(named);
		if (open_file(path, ret_fd, err) < 0)
			return -1;
		if (*ret_fd < 0)
			return cx_err_set(err, CX_E_CONFIG_INVALID,
			                  "%.400s isn't there; CX_CONFIG "
			                  "names it", path);
		*ret_path = CX_TAKE(path);
		return 0;
	}
	path = user_file();
	if (path && open_file(path, ret_fd, err) < 0)
		return -1;
	if (*ret_fd < 0) {
		free(path);
		path = cx_mem_text("/etc/cx/config.yaml");
		if (open_file(path, ret_fd, err) < 0)
			return -1;
	}
	*ret_path = CX_TAKE(path);
	return 0;
}

static int read_file(struct cx_config *config, int fd, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (cx_fd_slurp(fd, CX_CONFIG_FILE_MAX_BYTES, config->file, &text,
	                err) < 0)
		return -1;
	if (text.size == 0 ||
	    cx_screen_blank_end(text.data, text.size, 0) == text.size)
		return 0;
	if (cx_yaml_parse_any(text.data, text.size, config->file,
	                      &config->tree, err) < 0)
		return -1;
	if (take_tree(config, err) == 0)
		return 0;
	return cx_err_wrap(err, config->file);
}

static int take_environment(struct cx_config *config, struct cx_err *err)
{
	const char *l0 = getenv("CX_L0_IMAGE"), *gateway = getenv("CX_GATEWAY");
	const char *rollout = getenv("CX_EXECUTION_PLANE_ROLLOUT");

	if (l0 && *l0)
		config->l0 = l0;
	if (rollout) {
		config->rollout = cx_binding_rolled_out(rollout);
		config->rollout_text = rollout;
	}
	if (!gateway || !*gateway)
		return 0;
	config->gateway = gateway;
	if (cx_setting_is_gateway(gateway))
		return 0;
	return cx_err_set(err, CX_E_CONFIG_INVALID, "CX_GATEWAY must be auto, "
	                  "none or an absolute path");
}

int cx_config_load(struct cx_config *ret, struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;

	set_defaults(ret);
	if (find_file(&fd, &ret->file, err) < 0)
		return -1;
	if (fd < 0)
		free(CX_TAKE(ret->file));
	if ((fd < 0 || read_file(ret, fd, err) == 0) &&
	    take_environment(ret, err) == 0)
		return 0;
	err->code = CX_E_CONFIG_INVALID;
	err->status = 0;
	cx_config_done(ret);
	return -1;
}

void cx_config_done(struct cx_config *config)
{
	json_decref(config->tree);
	free(config->file);
	*config = (struct cx_config){ 0 };
}

const json_t *cx_config_org(const struct cx_config *config, const char *org)
{
	return json_object_get(json_object_get(config->tree, "orgs"), org);
}

bool cx_config_org_is_off(const struct cx_config *config, const char *org)
{
	return is_word(cx_config_org(config, org), "execution", "off");
}

const char *cx_config_posture(const struct cx_config *config,
                              const char *agent)
{
	const json_t *agents = json_object_get(config->tree, "agents");

	return cx_json_text(json_object_get(agents, agent), "posture");
}
