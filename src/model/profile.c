/* profile.c - see profile.h. */
#include "model/profile.h"

#include <strings.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/str.h"

struct pair {
	const char *name;
	const char *value; /* NULL: the whole CPUs of the quota */
};

/* Version 2. Whatever changes here changes CX_PROFILE_VERSION. */
static const struct pair environment[] = {
	{ "PATH", "/workspace/.local/bin:/workspace/.npm-global/bin:"
	          "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
	          "/sbin:/bin" },
	{ "HOME", "/workspace" },
	{ "USER", "cx" },
	{ "LOGNAME", "cx" },
	{ "SHELL", "/bin/bash" },
	{ "TMPDIR", "/tmp" },
	{ "LANG", "C.UTF-8" },
	{ "TZ", "UTC" },
	{ "NO_PROXY", "localhost,127.0.0.1,::1" },
	{ "TERM", "dumb" },
	{ "PAGER", "cat" },
	{ "GIT_PAGER", "cat" },
	{ "GIT_EDITOR", "true" },
	{ "GIT_TERMINAL_PROMPT", "0" },
	{ "DEBIAN_FRONTEND", "noninteractive" },
	{ "PYTHONUNBUFFERED", "1" },
	{ "PYTHONUSERBASE", "/workspace/.local" },
	{ "PIP_USER", "1" },
	{ "PIP_BREAK_SYSTEM_PACKAGES", "1" },
	{ "npm_config_prefix", "/workspace/.npm-global" },
	{ "OMP_NUM_THREADS", NULL },
	{ "OPENBLAS_NUM_THREADS", NULL },
	{ "MKL_NUM_THREADS", NULL },
	{ "NUMEXPR_MAX_THREADS", NULL },
	{ "GOMAXPROCS", NULL },
};

#define PROXY "http://127.0.0.1:3128"
#define NEAR "localhost,127.0.0.1,::1"

/* With a gateway. Its listener says whose traffic it is: there is no
 * credential. */
static const struct pair gateway[] = {
	{ "http_proxy", PROXY },
	{ "HTTP_PROXY", PROXY },
	{ "https_proxy", PROXY },
	{ "HTTPS_PROXY", PROXY },
	{ "all_proxy", PROXY },
	{ "ALL_PROXY", PROXY },
	{ "no_proxy", NEAR },
	{ "NODE_USE_ENV_PROXY", "1" },
	{ "npm_config_proxy", PROXY },
	{ "npm_config_https_proxy", PROXY },
	{ "npm_config_noproxy", NEAR },
	{ "PIP_PROXY", PROXY },
	{ "GIT_CONFIG_COUNT", "1" },
	{ "GIT_CONFIG_KEY_0", "http.proxy" },
	{ "GIT_CONFIG_VALUE_0", PROXY },
	{ "JAVA_TOOL_OPTIONS",
	  "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 "
	  "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 "
	  "-Dhttp.nonProxyHosts=localhost|127.*|[::1]" },
};

/* What a loader or a shell reads before the command's first instruction. A
 * name that ends in * is a prefix. */
static const char *const start_up[] = {
	"LD_*", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH",
	"MALLOC_*", "RES_OPTIONS", "HOSTALIASES", "LOCALDOMAIN",
	"BASH_ENV", "ENV", "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "PS4",
	"PROMPT_COMMAND", "CX_*",
};

/* In either case. */
static const char *const proxy[] = {
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"NODE_USE_ENV_PROXY", "npm_config_proxy", "npm_config_https_proxy",
	"npm_config_noproxy", "PIP_PROXY",
};

static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return strncmp(pattern, name, length - 1) == 0;
	return cx_str_same(pattern, name);
}

bool cx_profile_is_name(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz_0123456789";

	return cx_str_only(name, letters) && (*name < '0' || *name > '9') &&
	       strlen(name) <= 128;
}

bool cx_profile_is_reserved(const char *name)
{
	for (size_t i = 0; i < CX_COUNT(environment); i++)
		if (cx_str_same(environment[i].name, name))
			return true;
	for (size_t i = 0; i < CX_COUNT(gateway); i++)
		if (cx_str_same(gateway[i].name, name))
			return true;
	for (size_t i = 0; i < CX_COUNT(start_up); i++)
		if (matches(start_up[i], name))
			return true;
	for (size_t i = 0; i < CX_COUNT(proxy); i++)
		if (strcasecmp(proxy[i], name) == 0)
			return true;
	return false;
}

void cx_profile_make(const struct cx_quota *quota, struct cx_profile *ret)
{
	uint64_t cpus = (quota->cpus_milli + 999) / 1000;
	CX_AUTO_FREE char *count = NULL;

	*ret = (struct cx_profile){
		.quota = *quota,
		.cwd = cx_mem_text("/workspace"),
		.egress = CX_TIER_NONE,
		.uid = CX_PROFILE_ID,
		.gid = CX_PROFILE_ID,
		.tmp_inodes = 65536,
		.shm_bytes = 64ULL << 20,
		.nofile_soft = 1024,
		.nofile_hard = 4096,
		.core_bytes = 1,
		.umask = 0022,
	};
	if (ret->quota.file_size_bytes == 0)
		ret->quota.file_size_bytes = quota->workspace_kib * 1024;
	count = cx_mem_print("%llu", (unsigned long long)(cpus ? cpus : 1));
	for (size_t i = 0; i < CX_COUNT(environment); i++)
		cx_profile_set(ret, environment[i].name,
		               environment[i].value ? environment[i].value
		                                    : count);
}

void cx_profile_set_egress(struct cx_profile *profile, enum cx_tier tier)
{
	profile->egress = tier;
	for (size_t i = 0; tier != CX_TIER_NONE && i < CX_COUNT(gateway); i++)
		cx_profile_set(profile, gateway[i].name, gateway[i].value);
}

void cx_profile_done(struct cx_profile *profile)
{
	for (size_t i = 0; i < profile->env_count; i++)
		free(profile->env[i]);
	free(profile->cwd);
	*profile = (struct cx_profile){ 0 };
}

static char **find(struct cx_profile *profile, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < profile->env_count; i++)
		if (strncmp(profile->env[i], name, length) == 0 &&
		    profile->env[i][length] == '=')
			return &profile->env[i];
	return NULL;
}

bool cx_profile_set(struct cx_profile *profile, const char *name,
                    const char *value)
{
	char **at = find(profile, name);

	if (!at && profile->env_count == CX_PROFILE_ENV_MAX)
		return false;
	if (!at)
		at = &profile->env[profile->env_count++];
	free(*at);
	*at = cx_mem_print("%s=%s", name, value);
	return true;
}

const char *cx_profile_get(const struct cx_profile *profile, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < profile->env_count; i++)
		if (strncmp(profile->env[i], name, length) == 0 &&
		    profile->env[i][length] == '=')
			return profile->env[i] + length + 1;
	return NULL;
}

/* A JSON string as RFC 8785 spells it; text is valid UTF-8. */
static void add_text(struct cx_buf *buf, const char *text)
{
	static const char letter[] = "btn?fr"; /* for 8 to 13; 11 has none */

	cx_buf_byte(buf, '"');
	for (const char *at = text; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if (c == '"' || c == '\\')
			cx_buf_byte(buf, '\\');
		if (c >= 0x20)
			cx_buf_byte(buf, *at);
		else if (c >= 8 && c <= 13 && c != 11)
			cx_buf_print(buf, "\\%c", letter[c - 8]);
		else
			cx_buf_print(buf, "\\u%04x", c);
	}
	cx_buf_byte(buf, '"');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_env(const struct cx_profile *profile, struct cx_buf *ret)
{
	char *sorted[CX_PROFILE_ENV_MAX];

	memcpy(sorted, profile->env, profile->env_count * sizeof sorted[0]);
	/* '=' sorts below every letter of a name but above the digits, so the
	 * order isn't quite the names' own; it is one order, which counts. */
	qsort(sorted, profile->env_count, sizeof sorted[0], by_name);
	cx_buf_text(ret, "\"env\":[");
	for (size_t i = 0; i < profile->env_count; i++) {
		cx_buf_text(ret, i ? "," : "");
		add_text(ret, sorted[i]);
	}
	cx_buf_text(ret, "]");
}

struct number {
	const char *name;
	uint64_t value;
};

static void write_numbers(const struct number *number, size_t count,
                          struct cx_buf *ret)
{
	for (size_t i = 0; i < count; i++)
		cx_buf_print(ret, "%s\"%s\":%llu", i ? "," : "",
		             number[i].name,
		             (unsigned long long)number[i].value);
}

static void write_best_effort(const struct cx_quota *quota, struct cx_buf *ret)
{
	const char *comma = "";

	cx_buf_text(ret, "\"best_effort\":[");
	for (unsigned i = 0; i < CX_QUOTA_LIMITS; i++) {
		if (!quota->best_effort[i])
			continue;
		cx_buf_print(ret, "%s\"%s\"", comma,
		             cx_quota_name((enum cx_quota_limit)i));
		comma = ",";
	}
	cx_buf_text(ret, "],");
}

static void write_limits(const struct cx_profile *profile, struct cx_buf *ret)
{
	const struct cx_quota *quota = &profile->quota;
	const struct number before[] = {
		{ "core_bytes", profile->core_bytes },
		{ "cpu_ms", quota->cpu_ms },
		{ "cpus_milli", quota->cpus_milli },
		{ "file_size_bytes", quota->file_size_bytes },
		{ "grace_ms", quota->grace_ms },
		{ "inodes", quota->inodes },
		{ "memory_bytes", quota->memory_bytes },
		{ "nofile_hard", profile->nofile_hard },
		{ "nofile_soft", profile->nofile_soft },
	};
	const struct number after[] = {
		{ "pids", quota->pids },
		{ "shm_bytes", profile->shm_bytes },
		{ "stderr_bytes", quota->stderr_bytes },
		{ "stdout_bytes", quota->stdout_bytes },
		{ "tmp_bytes", quota->tmp_bytes },
		{ "tmp_inodes", profile->tmp_inodes },
		{ "wall_ms", quota->wall_ms },
		{ "workspace_kib", quota->workspace_kib },
	};

	cx_buf_text(ret, "\"limits\":{");
	write_best_effort(quota, ret);
	write_numbers(before, CX_COUNT(before), ret);
	cx_buf_print(ret, ",\"on_output_cap\":\"%s\",",
	             quota->on_output_cap == CX_QUOTA_CAP_KILL ? "kill"
	                                                       : "truncate");
	write_numbers(after, CX_COUNT(after), ret);
	cx_buf_print(ret, ",\"workspace_wall\":\"%s\"}",
	             cx_quota_wall_word[quota->workspace_wall]);
}

void cx_profile_write(const struct cx_profile *profile, struct cx_buf *ret)
{
	cx_buf_text(ret, "{\"cwd\":");
	add_text(ret, profile->cwd);
	cx_buf_text(ret, ",\"egress\":");
	add_text(ret, cx_tier_text(profile->egress));
	cx_buf_text(ret, ",");
	write_env(profile, ret);
	cx_buf_print(ret, ",\"gid\":%u,", profile->gid);
	write_limits(profile, ret);
	cx_buf_print(ret, ",\"proc\":\"%s\",\"uid\":%u,\"umask\":%u,"
	             "\"version\":%d}",
	             profile->proc_pid ? "pid" : "full", profile->uid,
	             profile->umask, CX_PROFILE_VERSION);
}
