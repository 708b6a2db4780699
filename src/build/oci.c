/* oci.c - see oci.h. */
#include "build/oci.h"

#include <sys/utsname.h>
#include <time.h>

#include "base/count.h"
#include "base/str.h"
#include "data/canon.h"
#include "store/edition.h"

#define MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define CONFIG "application/vnd.oci.image.config.v1+json"

const char *cx_oci_platform(void)
{
	static const char *const word[][2] = {
		{ "x86_64", "amd64" }, { "aarch64", "arm64" },
		{ "riscv64", "riscv64" }, { "ppc64le", "ppc64le" },
		{ "s390x", "s390x" }, { "loongarch64", "loong64" },
	};
	struct utsname machine;

	if (uname(&machine) == 0)
		for (size_t i = 0; i < CX_COUNT(word); i++)
			if (cx_str_same(machine.machine, word[i][0]))
				return word[i][1];
	return "unknown";
}

static void time_text(int64_t epoch, char ret[32])
{
	time_t seconds = (time_t)epoch;
	struct tm utc = { 0 };

	gmtime_r(&seconds, &utc);
	strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static json_t *config_of(const struct cx_oci_image *image)
{
	char diff_id[CX_DIGEST_TEXT], created[32];

	cx_digest_text(&image->diff_id, diff_id);
	time_text(image->epoch, created);
	return json_pack(
		"{s:s, s:s, s:s, s:{s:s, s:s, s:[s], s:[s]},"
		" s:{s:s, s:[s]}, s:[{s:s, s:s}]}",
		"created", created, "architecture", cx_oci_platform(), "os",
		"linux", "config", "User", "10001:10001", "WorkingDir",
		"/workspace", "Env",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
		"/sbin:/bin", "Cmd", "/bin/bash", "rootfs", "type", "layers",
		"diff_ids", diff_id, "history", "created", created,
		"created_by", image->made_by);
}

static json_t *part(const char *media_type, const struct cx_blob *blob)
{
	char digest[CX_DIGEST_TEXT];

	cx_digest_text(&blob->digest, digest);
	return json_pack("{s:s, s:s, s:I}", "mediaType", media_type, "digest",
	                 digest, "size", (json_int_t)blob->size);
}

json_t *cx_oci_descriptor(const char *media_type, const char *digest,
                          uint64_t size, const char *name, const char *recipe)
{
	json_t *made = json_pack(
		"{s:s, s:s, s:I, s:{s:s, s:s}, s:{}}", "mediaType", media_type,
		"digest", digest, "size", (json_int_t)size, "platform",
		"architecture", cx_oci_platform(), "os", "linux",
		"annotations");
	json_t *annotations = json_object_get(made, "annotations");

	if (name)
		json_object_set_new(annotations, CX_EDITION_NAME,
		                    json_string(name));
	if (recipe)
		json_object_set_new(annotations, CX_EDITION_RECIPE,
		                    json_string(recipe));
	return made;
}

static int store_json(const struct cx_cas *cas, const json_t *value,
                      struct cx_blob *ret, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_canon_write(value, &text);
	return cx_blob_whole(cas, text.data, text.size, ret, err);
}

int cx_oci_make(const struct cx_cas *cas, const struct cx_oci_image *image,
                struct cx_blob *ret_config, struct cx_blob *ret_manifest,
                json_t **ret_descriptor, struct cx_err *err)
{
	CX_AUTO_JSON json_t *config = config_of(image);
	CX_AUTO_JSON json_t *manifest = NULL;
	char digest[CX_DIGEST_TEXT];

	if (store_json(cas, config, ret_config, err) < 0)
		return -1;
	manifest = json_pack("{s:i, s:s, s:o, s:[o]}", "schemaVersion", 2,
	                     "mediaType", MANIFEST, "config",
	                     part(CONFIG, ret_config), "layers",
	                     part(CX_OCI_LAYER_ZSTD, image->layer));
	if (store_json(cas, manifest, ret_manifest, err) < 0)
		return -1;
	cx_digest_text(&ret_manifest->digest, digest);
	*ret_descriptor = cx_oci_descriptor(MANIFEST, digest,
	                                    ret_manifest->size, image->name,
	                                    image->recipe);
	return 0;
}
