/* result.c - see result.h. */
#include "run/result.h"

#include "base/count.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/opaque.h"
#include "model/termination.h"
#include "run/changes.h"

#define MEMBER(name_, kind_, about_) \
	{ .name = (name_), .kind = (kind_), .nullable = true, \
	  .about = (about_) }
#define TEXT(name, about) MEMBER(name, CX_SHAPE_TEXT, about)
#define NUMBER(name, about) MEMBER(name, CX_SHAPE_NUMBER, about)
#define BOOL(name, about) MEMBER(name, CX_SHAPE_BOOL, about)

static const char *const decisions[] = { "allowed", "denied", NULL };

static const struct cx_shape text_item = { .kind = CX_SHAPE_TEXT };
static const struct cx_shape bool_item = { .kind = CX_SHAPE_BOOL };
static const struct cx_shape file_item = {
	.kind = CX_SHAPE_OBJECT, .open = true,
};

const struct cx_shape cx_result_member[] = {
	TEXT("jobId", "The job that the command belonged to."),
	{ .name = "decision", .kind = CX_SHAPE_TEXT, .word = decisions,
	  .required = true,
	  .about = "Whether it was let run, not how it ended." },
	TEXT("reason", "Why it was refused: an error class."),
	TEXT("termination", "How it ended."),
	NUMBER("exitCode", "Its exit status; 128+n for signal n."),
	NUMBER("signal", "The signal that ended it."),
	TEXT("stdout", "Standard output; U+FFFD where it isn't UTF-8."),
	TEXT("stderr", "Standard error, likewise."),
	NUMBER("stdoutBytes", "Bytes of the whole stream."),
	NUMBER("stdoutLines", "Its newlines."),
	TEXT("stdoutSha256", "Digest of the whole stream."),
	BOOL("stdoutTruncated", "The middle of the stream isn't in stdout."),
	NUMBER("stdoutGapAt", "Byte of stdout where head and tail meet."),
	TEXT("stdoutBase64", "The same bytes, where stdout can't hold them."),
	NUMBER("stderrBytes", "Bytes of the whole stream."),
	NUMBER("stderrLines", "Its newlines."),
	TEXT("stderrSha256", "Digest of the whole stream."),
	BOOL("stderrTruncated", "The middle of the stream isn't in stderr."),
	NUMBER("stderrGapAt", "Byte of stderr where head and tail meet."),
	TEXT("stderrBase64", "The same bytes, where stderr can't hold them."),
	NUMBER("wallMs", "Wall time."),
	NUMBER("cpuMs", "CPU time of all its processes."),
	NUMBER("cpuThrottledMs", "Time held back by the CPU limit."),
	NUMBER("cpuPressureMs", "Time in which some process waited for CPU."),
	NUMBER("memoryPressureMs", "The same for memory."),
	NUMBER("ioPressureMs", "The same for disks."),
	NUMBER("memoryPeakKb", "Most memory at once, in KiB."),
	NUMBER("oomKills", "Processes that were killed for memory."),
	NUMBER("pidsPeak", "Most processes and threads at once."),
	BOOL("pidsLimitHit", "A process couldn't be made."),
	BOOL("fileLimitHit", "A file couldn't grow over the limit."),
	NUMBER("tmpPeakKb", "Most that /tmp held, in KiB."),
	NUMBER("workspaceKb", "What the workspace took afterwards, in KiB."),
	TEXT("imageDigest", "The image that it ran in."),
	{ .name = "layerDigests", .kind = CX_SHAPE_LIST, .sub = &text_item,
	  .nullable = true, .about = "Its layers, the top first." },
	TEXT("profileDigest", "Digest of limits, environment and folder."),
	{ .name = "enforced", .kind = CX_SHAPE_MAP, .sub = &bool_item,
	  .nullable = true, .about = "Which limits held." },
	TEXT("egressMode", "How far it could reach."),
	NUMBER("egressTotalBytes", "Bytes through the gateway."),
	{ .name = "files", .kind = CX_SHAPE_LIST, .sub = &file_item,
	  .nullable = true, .about = "The files of --out." },
	{ .name = "changes", .kind = CX_SHAPE_OBJECT, .sub = cx_changes_member,
	  .about = "What a dry run would change in the workspace." },
	{ .name = "tainted", .kind = CX_SHAPE_BOOL, .required = true,
	  .about = "Always true: what a sandbox says is untrusted." },
	{ .name = NULL },
};

static void set(json_t *result, const char *name, json_t *value)
{
	json_object_set_new(result, name, value);
}

static void set_text(json_t *result, const char *name, const char *text)
{
	set(result, name, text ? json_string(text) : json_null());
}

/* Below 0 is "not known". */
static void set_number(json_t *result, const char *name, int64_t number)
{
	set(result, name, number < 0 ? json_null() : json_integer(number));
}

static void set_ms(json_t *result, const char *name, int64_t us)
{
	set_number(result, name, us < 0 ? -1 : us / 1000);
}

static bool is_optional(const char *name)
{
	return cx_str_ends(name, "Base64") || cx_str_same(name, "changes");
}

json_t *cx_result_denied(enum cx_class reason)
{
	json_t *result = json_object();

	for (const struct cx_shape *one = cx_result_member; one->name; one++)
		if (!is_optional(one->name))
			set(result, one->name, json_null());
	set_text(result, "decision", "denied");
	set_text(result, "reason", cx_err_name(reason));
	set(result, "tainted", json_true());
	return result;
}

struct stream_names {
	const char *text, *bytes, *lines, *sha256, *truncated, *gap, *base64;
};

static const struct stream_names out_names = {
	"stdout", "stdoutBytes", "stdoutLines", "stdoutSha256",
	"stdoutTruncated", "stdoutGapAt", "stdoutBase64",
};
static const struct stream_names err_names = {
	"stderr", "stderrBytes", "stderrLines", "stderrSha256",
	"stderrTruncated", "stderrGapAt", "stderrBase64",
};

static void set_stream(json_t *result, const struct stream_names *name,
                       const struct cx_report_stream *stream)
{
	const char *kept = stream->kept ? stream->kept : "";
	size_t size = stream->kept ? stream->kept_bytes : 0;
	bool is_text = !memchr(kept, '\0', size) &&
	               cx_str_utf8_all(kept, size, NULL);
	char digest[CX_DIGEST_TEXT];

	cx_digest_text(&stream->sha256, digest);
	set(result, name->text, is_text ? json_stringn_nocheck(kept, size)
	                                : cx_opaque_text(kept, size));
	set(result, name->bytes, json_integer((json_int_t)stream->total_bytes));
	set(result, name->lines, json_integer((json_int_t)stream->total_lines));
	set_text(result, name->sha256, digest);
	set(result, name->truncated, json_boolean(stream->truncated));
	set_number(result, name->gap,
	           stream->truncated ? (int64_t)stream->gap_at : -1);
	if (!is_text)
		set(result, name->base64, cx_opaque_base64(kept, size));
}

static json_t *enforced(const struct cx_report *report)
{
	json_t *map = json_object();

	for (unsigned i = 0; i < CX_QUOTA_LIMITS; i++)
		json_object_set_new(map, cx_quota_name((enum cx_quota_limit)i),
		                    json_boolean(report->enforced[i]));
	return map;
}

static void set_usage(json_t *result, const struct cx_report *report)
{
	int64_t memory = report->memory_peak_bytes;

	set_number(result, "wallMs", report->wall_ms);
	set_number(result, "cpuMs", report->cpu_ms);
	set_ms(result, "cpuThrottledMs", report->throttled_us);
	set_ms(result, "cpuPressureMs", report->pressure_us[CX_REPORT_CPU]);
	set_ms(result, "memoryPressureMs",
	       report->pressure_us[CX_REPORT_MEMORY]);
	set_ms(result, "ioPressureMs", report->pressure_us[CX_REPORT_IO]);
	set_number(result, "memoryPeakKb", memory < 0 ? -1 : memory / 1024);
	set_number(result, "oomKills", report->oom_kills);
	set_number(result, "pidsPeak", report->pids_peak);
	set(result, "pidsLimitHit", report->pids_hits < 0 ? json_null()
	    : json_boolean(report->pids_hits > 0));
	set(result, "fileLimitHit", json_boolean(report->file_limit_hit));
	set_number(result, "tmpPeakKb", report->tmp_peak_kib);
}

json_t *cx_result_runs(const struct cx_result_facts *facts)
{
	json_t *result = cx_result_denied(CX_E_NONE);

	set_text(result, "jobId", facts->job_id);
	set_text(result, "decision", "allowed");
	set(result, "reason", json_null());
	set_text(result, "imageDigest", facts->image_digest);
	set(result, "layerDigests", facts->layers);
	set_text(result, "profileDigest", facts->profile_digest);
	set_text(result, "egressMode", cx_tier_text(facts->tier));
	set(result, "files", json_array());
	return result;
}

void cx_result_ran(json_t *result, const struct cx_report *report,
                   int64_t workspace_kib, int64_t egress_bytes)
{
	set_text(result, "termination",
	         cx_termination_text(report->termination));
	set_number(result, "exitCode", report->exit_code);
	set_number(result, "signal", report->signal ? report->signal : -1);
	set_stream(result, &out_names, &report->out);
	set_stream(result, &err_names, &report->err);
	set_usage(result, report);
	set_number(result, "workspaceKb", workspace_kib);
	set(result, "enforced", enforced(report));
	set_number(result, "egressTotalBytes", egress_bytes);
}

int cx_result_status(const json_t *result)
{
	enum cx_termination how = CX_TERMINATION_NONE;
	const char *text = cx_json_text(result, "termination");

	if (text)
		cx_termination_find(text, &how);
	switch (how) {
	case CX_TERMINATION_EXITED:
	case CX_TERMINATION_SIGNALED:
		return (int)cx_json_number(result, "exitCode", 125);
	case CX_TERMINATION_WALL_CLOCK:
		return 124;
	case CX_TERMINATION_CPU_TIME:
	case CX_TERMINATION_OUTPUT_CAP:
	case CX_TERMINATION_OUT_OF_MEMORY:
		return 137;
	case CX_TERMINATION_DISK_QUOTA_EXCEEDED:
		return 122;
	case CX_TERMINATION_NONE:
	case CX_TERMINATION_CANCELLED:
	case CX_TERMINATION_LOST:
		break;
	}
	return 125;
}
