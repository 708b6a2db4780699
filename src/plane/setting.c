/* setting.c - see setting.h. */
#include "plane/setting.h"

#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/digest.h"
#include "model/hostport.h"
#include "model/profile.h"
#include "model/quota.h"
#include "model/range.h"
#include "model/session.h"
#include "model/tier.h"

#define TEXT(name_, about_, ...) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_), \
	  .min = 1, .max = 4095, ##__VA_ARGS__ }
#define WORD(name_, words, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_), \
	  .word = (words) }
#define NUMBER(name_, low, high, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_), \
	  .min = (low), .max = (high) }
#define NEEDED(name_, low, high, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_), \
	  .min = (low), .max = (high), .required = true }
#define LIST(name_, of, low, high, about_, ...) \
	{ .name = (name_), .kind = CX_SHAPE_LIST, .about = (about_), \
	  .min = (low), .max = (high), .sub = (of), ##__VA_ARGS__ }
#define OBJECT(name_, members, about_) \
	{ .name = (name_), .kind = CX_SHAPE_OBJECT, .about = (about_), \
	  .sub = (members) }
#define MAP(name_, of, about_, ...) \
	{ .name = (name_), .kind = CX_SHAPE_MAP, .about = (about_), \
	  .sub = (of), ##__VA_ARGS__ }
#define END { .name = NULL }

#define WEEK_MS 604800000
#define PEBIBYTE (1LL << 50)

static const char *const placements[] = { "local", "remote", "disabled", NULL };
static const char *const executions[] = { "on", "off", NULL };
static const char *const postures[] = { "inherit", "on", "off", NULL };
static const char *const cap_policies[] = { "kill", "truncate", NULL };
static const char *const syncs[] = { "none", "group", "each", NULL };
static const char *const best_efforts[] = {
	"cpu", "memory", "pids", "cpu_time", "wall", "output", "file_size",
	"workspace", "tmp", NULL,
};

static bool is_digest(const char *text)
{
	struct cx_digest digest;

	return cx_digest_parse(text, &digest);
}

static bool is_absolute(const char *text)
{
	return text[0] == '/' && !cx_str_has_control(text);
}

static bool is_runtime(const char *text)
{
	return text[0] == '/' ? is_absolute(text) : cx_path_name(text);
}

bool cx_setting_is_gateway(const char *text)
{
	return cx_str_same(text, "auto") || cx_str_same(text, "none") ||
	       is_absolute(text);
}

static bool is_env_name(const char *text)
{
	return cx_profile_is_name(text) && !cx_profile_is_reserved(text);
}

/* An exception may be made for it: no part of it is loopback, link-local or
 * multicast. */
static bool is_liftable(const char *text)
{
	struct cx_prefix prefix;

	return cx_addr_read_prefix(text, strlen(text), &prefix) &&
	       CX_PROMISE(exception_bounded, !cx_range_is_fixed(&prefix));
}

static bool is_address(const char *text)
{
	struct cx_addr addr;

	return cx_addr_read(text, strlen(text), &addr);
}

static bool is_nat64(const char *text)
{
	struct cx_prefix prefix;

	return is_liftable(text) &&
	       cx_addr_read_prefix(text, strlen(text), &prefix) &&
	       cx_range_is_nat64(&prefix);
}

#define ABSOLUTE .fits = is_absolute, .pattern = "^/"

static const struct cx_shape defaults[] = {
	TEXT("org",
	     "Organization of a session that names none; an id as in "
	     "cx-seal(1).",
	     .fits = cx_session_is_id),
	TEXT("user", "User of a session that names none; an id likewise.",
	     .fits = cx_session_is_id),
	END,
};

static const struct cx_shape uid_range[] = {
	NEEDED("first", 1000, 4294900000, "First host uid for sessions."),
	NEEDED("count", 1, 16777216, "Number of host uids."),
	END,
};

static const struct cx_shape best_effort =
	WORD(NULL, best_efforts, "A limit that may be missing.");

static const struct cx_shape env_name = {
	.kind = CX_SHAPE_TEXT, .min = 1, .max = 128, .fits = is_env_name,
	.pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
	.about = "A name that is neither a loader's nor one of ours.",
};

static const struct cx_shape limits[] = {
	{ .name = "cpus", .kind = CX_SHAPE_REAL, .max = 1024,
	  .about = "CPUs, to the thousandth; default 1." },
	NUMBER("memory_bytes", 1 << 20, PEBIBYTE,
	       "Memory, /tmp and /dev/shm included; default 1 GiB."),
	NUMBER("pids", 1, 4194304,
	       "Processes and threads at once; default 256."),
	NUMBER("wall_ms", 1, WEEK_MS, "Time from start to end; default 120 s."),
	NUMBER("cpu_ms", 0, WEEK_MS,
	       "CPU time of all processes together; default 0, no limit."),
	NUMBER("grace_ms", 0, 60000,
	       "Time between TERM and KILL; default 1 s."),
	NUMBER("stdout_bytes", 1, 1 << 30,
	       "Standard output that is kept; default 1 MiB."),
	NUMBER("stderr_bytes", 1, 1 << 30,
	       "Standard error that is kept; default 1 MiB."),
	NUMBER("file_size_bytes", 0, PEBIBYTE,
	       "Size of one file; default 0, the workspace's."),
	NUMBER("workspace_kib", 1, 1LL << 40,
	       "Disk space of the workspace; default 256 MiB."),
	NUMBER("inodes", 16, 1LL << 32,
	       "Files and folders of the workspace; default 200000."),
	NUMBER("tmp_bytes", 65536, PEBIBYTE,
	       "Size of /tmp; default 128 MiB."),
	WORD("workspace_wall", cx_quota_wall_word,
	     "What holds the workspace within its quota: project (the file "
	     "system's project quota), image (a file system in a file), tmpfs "
	     "(one command's own, in memory), measure (no wall: who is over "
	     "it is ended) or auto (default): project where there is one, "
	     "else measure."),
	WORD("on_output_cap", cap_policies,
	     "What a full stream does: end the command (default) or "
	     "drop what comes between head and tail."),
	LIST("best_effort", &best_effort, 0, 16,
	     "Limits that may be missing on this machine; the result "
	     "says which held."),
	LIST("env_names", &env_name, 0, 64,
	     "Variables that run.env may set; default none."),
	END,
};

static const struct cx_shape port =
	NUMBER(NULL, 1, 65535, "A TCP port.");
static const struct cx_shape text = TEXT(NULL, NULL);
static const struct cx_shape entry =
	TEXT(NULL, "HOST, *.HOST or HOST:PORT.", .fits = cx_hostport_fits);

static const struct cx_shape egress_log[] = {
	TEXT("path", "Absolute path of the log, one JSON line for each decided "
	     "connection, in a folder of the gateway's own user outside of the "
	     "state folder.", ABSOLUTE, .required = true),
	NUMBER("max_bytes", 4096, 1LL << 40,
	       "Size that no log file goes over; default 64 MiB."),
	NUMBER("keep", 0, 99,
	       "Full log files that are kept, as PATH.1 and so on; default "
	       "5."),
	END,
};

static const struct cx_shape egress[] = {
	WORD("tier", cx_tier_word + 1,
	     "Tier of a document that names none; default default_internet."),
	TEXT("gateway",
	     "auto (default), none, or the path of a control socket.",
	     .fits = cx_setting_is_gateway, .pattern = "^(auto|none|/.*)$"),
	LIST("ports", &port, 1, 64,
	     "Ports of an allowed host; default 80 and 443."),
	NUMBER("max_bytes", 0, 1LL << 53,
	       "Bytes of one job, both ways; default 1 GiB."),
	OBJECT("log", egress_log,
	       "Operator's log of destinations; without it there is none."),
	END,
};

static const struct cx_shape org_egress[] = {
	WORD("tier", cx_tier_word + 1, "The widest tier of this organization."),
	LIST("hosts", &entry, 0, 1024, "The widest list of hosts."),
	LIST("ports", &port, 0, 64, "The widest list of ports."),
	NUMBER("max_bytes", 0, 1LL << 53, "The highest ceiling of one job."),
	END,
};

static const struct cx_shape registries[] = {
	LIST("os", &text, 0, 16, "Package repositories, as URLs."),
	LIST("pip", &text, 0, 16, "Python indexes, as URLs."),
	LIST("npm", &text, 0, 16, "npm registries, as URLs."),
	END,
};

static const struct cx_shape org[] = {
	WORD("execution", executions, "off refuses every command; default on."),
	OBJECT("egress", org_egress, "Ceiling of the organization's egress."),
	OBJECT("registries", registries, "Private registries."),
	END,
};

static const struct cx_shape agent[] = {
	WORD("posture", postures, "Stands over the agent's own manifest."),
	END,
};

static const struct cx_shape liftable =
	TEXT(NULL, "A network with no loopback, link-local or multicast "
	     "address in it.", .fits = is_liftable);
static const struct cx_shape address =
	TEXT(NULL, "An address.", .fits = is_address);
static const struct cx_shape nat64 =
	TEXT(NULL, "A prefix of 32, 40, 48, 56, 64 or 96 bits.",
	     .fits = is_nat64);

static const struct cx_shape upstream[] = {
	{ .name = "id", .kind = CX_SHAPE_TEXT, .required = true, .min = 1,
	  .max = CX_DECIDE_ID_BYTES - 1, .fits = cx_path_name,
	  .about = "Name of the exception." },
	TEXT("host", "Exact host name, for which each address of the answer "
	     "must be public or in one of the networks.", .required = true,
	     .fits = cx_hostport_is_name),
	LIST("ports", &port, 1, CX_DECIDE_PORTS_MAX, "Its ports.",
	     .required = true),
	LIST("addrs", &liftable, 1, CX_DECIDE_PREFIXES_MAX,
	     "Its networks, as CIDR.", .required = true),
	END,
};

static const struct cx_shape hooks[] = {
	TEXT("liveness", "Says whether a run is live.", ABSOLUTE),
	TEXT("command_policy", "Says whether a command may run.", ABSOLUTE),
	TEXT("stdio", "Takes what a command wrote.", ABSOLUTE),
	TEXT("teardown", "Is told that a run ended.", ABSOLUTE),
	END,
};

static const struct cx_shape seal[] = {
	NUMBER("ttl", 1, 31536000,
	       "Seconds that a carrier lives; default 900."),
	NUMBER("max_ttl", 1, 31536000,
	       "Seconds that one may live at most; default 86400."),
	NUMBER("skew", 0, 60, "Seconds that clocks may differ; default 0."),
	END,
};

static const struct cx_shape audit[] = {
	WORD("sync", syncs,
	     "When a record is flushed to disk: not at all, together "
	     "with its neighbours (default), or each by itself."),
	END,
};

static const struct cx_shape store[] = {
	TEXT("shared", "Store of root's to take base images and layers from; "
	     "default /var/lib/cx.", ABSOLUTE),
	END,
};

static const struct cx_shape one_org =
	OBJECT(NULL, org, "Settings of one organization.");
static const struct cx_shape one_agent =
	OBJECT(NULL, agent, "Settings of one agent.");
static const struct cx_shape one_upstream =
	OBJECT(NULL, upstream, "A protected address that may be reached.");

static const struct cx_shape members[] = {
	TEXT("l0", "Digest of the base image; default the one last made.",
	     .fits = is_digest, .pattern = "^sha256:[0-9a-f]{64}$"),
	TEXT("rollout", "Execution is offered to models only where this is "
	     "exactly on."),
	WORD("placement", placements, "Where commands run; default local."),
	TEXT("runtime", "native (default), an OCI runtime's name, or its path.",
	     .fits = is_runtime),
	OBJECT("defaults", defaults, "Identity for bin/cx run."),
	OBJECT("uid_range", uid_range, "Host uids for sessions."),
	OBJECT("limits", limits, "Limits of every command."),
	OBJECT("egress", egress, "Network of every command."),
	MAP("orgs", &one_org, "Settings by organization; ids as in cx-seal(1).",
	    .fits = cx_session_is_id),
	MAP("agents", &one_agent, "Settings by agent."),
	LIST("trusted_upstreams", &one_upstream, 0, 256,
	     "Exceptions from the protected addresses."),
	LIST("local_addrs", &address, 0, 256, "Further addresses of the host, "
	     "which no job reaches."),
	LIST("nat64_prefixes", &nat64, 0, 16, "NAT64 prefixes of the network: "
	     "an address under one is judged by the IPv4 address in it."),
	OBJECT("hooks", hooks, "Programs of the operator's."),
	OBJECT("seal", seal, "Carriers."),
	OBJECT("audit", audit, "Audit log."),
	OBJECT("store", store, "Stores."),
	END,
};

const struct cx_shape cx_setting_shape =
	OBJECT(NULL, members, "Configuration of cx; every key has a default.");
