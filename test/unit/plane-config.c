/* plane-config.c - which file is read, what it means, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "base/path.h"
#include "data/json.h"
#include "plane/config.h"
#include "plane/setting.h"

static char folder[] = "/tmp/cx-config-XXXXXX";

static void write_file(const char *name, const char *text)
{
	CX_AUTO_FREE char *path = cx_mem_print("%s/%s", folder, name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	CX_AUTO_FREE char *home = NULL;

	(void)state;
	assert_non_null(mkdtemp(folder));
	home = cx_mem_print("%s/home", folder);
	assert_int_equal(mkdir(home, 0700), 0);
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("CX_CONFIG");
	unsetenv("CX_L0_IMAGE");
	unsetenv("CX_GATEWAY");
	unsetenv("CX_EXECUTION_PLANE_ROLLOUT");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return cx_path_remove(AT_FDCWD, folder);
}

/* Loads text as $CX_CONFIG; 0 or -1. */
static int load(const char *text, struct cx_config *ret, struct cx_err *err)
{
	CX_AUTO_FREE char *path = cx_mem_print("%s/config.yaml", folder);

	write_file("config.yaml", text);
	setenv("CX_CONFIG", path, 1);
	*err = (struct cx_err){ 0 };
	return cx_config_load(ret, err);
}

static void check_defaults(const struct cx_config *config)
{
	assert_null(config->l0);
	assert_false(config->rollout);
	assert_int_equal(config->placement, CX_PLACEMENT_LOCAL);
	assert_string_equal(config->runtime, "native");
	assert_int_equal(config->uid_count, 0);
	assert_int_equal(config->limits.cpus_milli, 1000);
	assert_int_equal(config->limits.memory_bytes, 1 << 30);
	assert_int_equal(config->limits.wall_ms, 120000);
	assert_null(config->env_name[0]);
	assert_int_equal(config->egress_tier, CX_TIER_DEFAULT_INTERNET);
	assert_string_equal(config->gateway, "auto");
	assert_int_equal(config->port_count, 2);
	assert_int_equal(config->port[0], 80);
	assert_int_equal(config->port[1], 443);
	assert_int_equal(config->egress_max_bytes, 1 << 30);
	assert_null(config->log_path);
	assert_int_equal(config->seal_ttl, 900);
	assert_int_equal(config->seal_max_ttl, 86400);
	assert_int_equal(config->seal_skew, 0);
	assert_int_equal(config->audit_sync, CX_CONFIG_SYNC_GROUP);
	assert_string_equal(config->store_shared, "/var/lib/cx");
	assert_null(cx_config_org(config, "acme"));
	assert_false(cx_config_org_is_off(config, "acme"));
	assert_null(cx_config_posture(config, "a"));
}

static void nothing(void **state)
{
	static const char *const text[] = { "", "# only words\n", "{}", " \n" };
	CX_AUTO_CONFIG struct cx_config none = { 0 };
	struct cx_err err;

	(void)state;
	unsetenv("CX_CONFIG");
	assert_int_equal(cx_config_load(&none, &err), 0);
	assert_null(none.tree);
	check_defaults(&none);
	for (size_t i = 0; i < CX_COUNT(text); i++) {
		CX_AUTO_CONFIG struct cx_config config = { 0 };

		assert_int_equal(load(text[i], &config, &err), 0);
		check_defaults(&config);
	}
}

static void whole(void **state)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	struct cx_err err;

	(void)state;
	setenv("CX_CONFIG", "test/data/config/ok/whole.json", 1);
	assert_int_equal(cx_config_load(&config, &err), 0);
	assert_string_equal(config.file, "test/data/config/ok/whole.json");
	assert_true(config.rollout);
	assert_string_equal(config.runtime, "crun");
	assert_string_equal(config.default_user, "ada");
	assert_int_equal(config.uid_first, 3000000);
	assert_int_equal(config.limits.cpus_milli, 1500);
	assert_int_equal(config.limits.memory_bytes, 67108864);
	assert_int_equal(config.limits.on_output_cap, CX_QUOTA_CAP_TRUNCATE);
	assert_true(config.limits.best_effort[CX_QUOTA_MEMORY]);
	assert_true(config.limits.best_effort[CX_QUOTA_CPU]);
	assert_false(config.limits.best_effort[CX_QUOTA_PIDS]);
	assert_string_equal(config.env_name[1], "MODEL_NAME");
	assert_null(config.env_name[2]);
	assert_int_equal(config.egress_tier, CX_TIER_ALLOWLIST);
	assert_int_equal(config.port_count, 2);
	assert_int_equal(config.port[1], 8443);
	assert_string_equal(config.log_path, "/var/log/cx/egress");
	assert_int_equal(config.log_max_bytes, 4096);
	assert_int_equal(config.log_keep, 0);
	assert_string_equal(config.hook_liveness, "/usr/local/bin/live");
	assert_int_equal(config.seal_skew, 30);
	assert_int_equal(config.audit_sync, CX_CONFIG_SYNC_NONE);
	assert_string_equal(config.store_shared, "/srv/cx");
	assert_true(cx_config_org_is_off(&config, "acme"));
	assert_false(cx_config_org_is_off(&config, ""));
	assert_string_equal(cx_config_posture(&config, "agent-1"), "inherit");
}

static const struct { const char *text, *says, *pointer; } fault[] = {
	{ "limits:\n  wall_s: 1\n", "no such member; known here: cpus",
	  "/limits/wall_s" },
	{ "limits: {cpus: 0.001}", "must be at least 0.01", "/limits/cpus" },
	{ "seal: {ttl: 90, max_ttl: 60}", "must be at most seal.max_ttl (60)",
	  "/seal/ttl" },
	{ "limits: {env_names: [LD_PRELOAD]}", "must match",
	  "/limits/env_names/0" },
	{ "agents: {a: {posture: 'maybe'}}", "must be one of: inherit, on, off",
	  "/agents/a/posture" },
	{ "orgs: {a: {execution: false}}", "must be a text",
	  "/orgs/a/execution" },
	{ "seal: {}\nseal: {}\n", "line 2, column 1: this key stands twice",
	  "/seal" },
	{ "a: &x 1\n", "line 1, column 4: anchors are refused", "/a" },
	{ "{\"l0\":}", "line 1, column 7: a value must come", "/l0" },
	{ "just words", "must be an object", "" },
};

static void faults(void **state)
{
	CX_AUTO_FREE char *prefix = cx_mem_print("%s/config.yaml: ", folder);

	(void)state;
	for (size_t i = 0; i < CX_COUNT(fault); i++) {
		struct cx_config config;
		struct cx_err err;

		assert_int_equal(load(fault[i].text, &config, &err), -1);
		assert_int_equal(err.code, CX_E_CONFIG_INVALID);
		assert_int_equal(cx_err_exit(&err), 78);
		if (!cx_str_starts(err.text, prefix) ||
		    !cx_str_starts(err.text + strlen(prefix), fault[i].says))
			fail_msg("%s: %s", fault[i].text, err.text);
		assert_string_equal(err.pointer, fault[i].pointer);
	}
}

/* A ceiling below the default lowers the default. */
static void low_ceiling(void **state)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	struct cx_err err;

	(void)state;
	assert_int_equal(load("seal: {max_ttl: 60}", &config, &err), 0);
	assert_int_equal(config.seal_ttl, 60);
}

static void environment(void **state)
{
	static const struct { const char *value; bool on; } rollout[] = {
		{ "on", true }, { "1", false }, { "true", false },
		{ "ON", false }, { "on ", false }, { "", false }, { NULL, true },
	};
	struct cx_err err;

	(void)state;
	setenv("CX_L0_IMAGE", "sha256:00", 1);
	setenv("CX_GATEWAY", "none", 1);
	for (size_t i = 0; i < CX_COUNT(rollout); i++) {
		CX_AUTO_CONFIG struct cx_config config = { 0 };

		if (rollout[i].value)
			setenv("CX_EXECUTION_PLANE_ROLLOUT", rollout[i].value, 1);
		else
			unsetenv("CX_EXECUTION_PLANE_ROLLOUT");
		assert_int_equal(load("rollout: on\negress: {gateway: /x}",
		                      &config, &err), 0);
		assert_int_equal(config.rollout, rollout[i].on);
		assert_string_equal(config.l0, "sha256:00");
		assert_string_equal(config.gateway, "none");
	}
	setenv("CX_GATEWAY", "run/gateway", 1);
	assert_int_equal(load("", &(struct cx_config){ 0 }, &err), -1);
	assert_int_equal(cx_err_exit(&err), 78);
	unsetenv("CX_L0_IMAGE");
	unsetenv("CX_GATEWAY");
}

static void missing(void **state)
{
	CX_AUTO_FREE char *path = cx_mem_print("%s/none.yaml", folder);
	struct cx_config config;
	struct cx_err err;

	(void)state;
	setenv("CX_CONFIG", path, 1);
	assert_int_equal(cx_config_load(&config, &err), -1);
	assert_int_equal(cx_err_exit(&err), 78);
	assert_non_null(strstr(err.text, "isn't there; CX_CONFIG names it"));
	unsetenv("CX_CONFIG");
}

/* A folder can't be read, and stops the search. */
static void unreadable(void **state)
{
	struct cx_config config;
	struct cx_err err;

	(void)state;
	setenv("CX_CONFIG", folder, 1);
	assert_int_equal(cx_config_load(&config, &err), -1);
	assert_int_equal(cx_err_exit(&err), 78);
	unsetenv("CX_CONFIG");
}

static void places(void **state)
{
	CX_AUTO_CONFIG struct cx_config home = { 0 }, xdg = { 0 };
	CX_AUTO_FREE char *path = cx_mem_print("%s/xdg", folder);
	struct cx_err err;
	int dir_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(cx_path_make(dir_fd, "home/.config/cx", 0700), 0);
	assert_int_equal(cx_path_make(dir_fd, "xdg/cx", 0700), 0);
	close(dir_fd);
	write_file("home/.config/cx/config.yaml", "seal: {skew: 5}\n");
	write_file("xdg/cx/config.yaml", "seal: {skew: 6}\n");
	assert_int_equal(cx_config_load(&home, &err), 0);
	assert_int_equal(home.seal_skew, 5);
	setenv("XDG_CONFIG_HOME", path, 1);
	assert_int_equal(cx_config_load(&xdg, &err), 0);
	assert_int_equal(xdg.seal_skew, 6);
	unsetenv("XDG_CONFIG_HOME");
}

static void read_ok(const char *path, const char *text, size_t size)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	struct cx_err err;

	(void)text;
	(void)size;
	setenv("CX_CONFIG", path, 1);
	if (cx_config_load(&config, &err) < 0)
		fail_msg("%s", err.text);
}

static void read_bad(const char *path, const char *text, size_t size)
{
	struct cx_config config;
	struct cx_err err;

	(void)text;
	(void)size;
	setenv("CX_CONFIG", path, 1);
	if (cx_config_load(&config, &err) == 0)
		fail_msg("%s was read", path);
	assert_int_equal(err.code, CX_E_CONFIG_INVALID);
}

static void corpora(void **state)
{
	(void)state;
	assert_true(corpus_walk("test/data/config/ok", ".json", read_ok) > 1);
	assert_true(corpus_walk("test/data/config/bad", ".json", read_bad) > 20);
	/* what a schema can't say */
	assert_true(corpus_walk("test/data/config/unfit", ".json",
	                        read_bad) > 10);
	unsetenv("CX_CONFIG");
}

/* share/schema/config.json is what make docs prints; the words of the table
 * are those of the model. */
static void schema(void **state)
{
	CX_AUTO_JSON json_t *made = cx_shape_schema(&cx_setting_shape,
	                                            "cx configuration");
	CX_AUTO_BUF struct cx_buf text = { 0 };
	size_t size;
	CX_AUTO_FREE char *stands = corpus_load("share/schema/config.json",
	                                        &size);

	(void)state;
	cx_json_pretty(made, false, &text);
	cx_buf_byte(&text, '\n');
	assert_string_equal(stands, text.data);
	for (unsigned i = 0; i < CX_QUOTA_LIMITS; i++) {
		CX_AUTO_FREE char *word = cx_mem_print(
			"\"%s\"", cx_quota_name((enum cx_quota_limit)i));

		assert_non_null(strstr(text.data, word));
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(whole),
		cmocka_unit_test(faults),
		cmocka_unit_test(low_ceiling),
		cmocka_unit_test(environment),
		cmocka_unit_test(missing),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(places),
		cmocka_unit_test(corpora),
		cmocka_unit_test(schema),
	};

	return cmocka_run_group_tests(test, set_up, tear_down);
}
