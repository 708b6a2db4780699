/* recipe.c - see recipe.h. */
#include "build/recipe.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/utsname.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/canon.h"
#include "data/integrity.h"
#include "data/yaml.h"
#include "store/edition.h"

/* Part of the key: what this version makes of a recipe. */
#define BUILDER "1"

enum { RECIPE_MAX_BYTES = 256 * 1024 };

#define WORD_SET "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" \
	"0123456789"

static const char *const from_words[] = { "debian", "busybox", NULL };
static const char *const variants[] = { "apt", "minbase", "essential", NULL };
static const char *const kinds[] = { "L0", NULL };
static const char *const versions[] = { "cx/v1", NULL };

static bool is_suite(const char *text)
{
	return cx_str_only(text, WORD_SET "-.") && text[0] != '-' &&
	       text[0] != '.';
}

/* Debian's package name with an optional =version. */
static bool is_package(const char *text)
{
	return cx_str_only(text, WORD_SET "+.-=:~") &&
	       strchr(WORD_SET, text[0]) && !cx_str_ends(text, "-") &&
	       !cx_str_ends(text, "+");
}

static bool is_version(const char *text)
{
	return cx_str_only(text, WORD_SET ".-+") && text[0] >= '0' &&
	       text[0] <= '9';
}

static bool is_integrity(const char *text)
{
	return cx_integrity_well_formed(text);
}

/* An absolute pattern for --path-exclude: one argument, no option. */
static bool is_pattern(const char *text)
{
	return text[0] == '/' && !cx_str_has_control(text);
}

static const struct cx_shape package_item[] = {
	{ .kind = CX_SHAPE_TEXT, .min = 1, .max = 256, .fits = is_package,
	  .pattern = "^[A-Za-z0-9][A-Za-z0-9+.:~=-]*$",
	  .about = "A Debian package, with =version where one is wanted" },
	{ 0 },
};

static const struct cx_shape component_item[] = {
	{ .kind = CX_SHAPE_TEXT, .min = 1, .max = 64, .fits = is_suite,
	  .pattern = "^[A-Za-z0-9][A-Za-z0-9.-]*$",
	  .about = "A component of the suite" },
	{ 0 },
};

static const struct cx_shape pattern_item[] = {
	{ .kind = CX_SHAPE_TEXT, .min = 1, .max = 256, .fits = is_pattern,
	  .pattern = "^/", .about = "A path pattern that dpkg leaves out" },
	{ 0 },
};

static const struct cx_shape npm_shape[] = {
	{ "version", CX_SHAPE_TEXT, "The version from the registry",
	  .required = true,
	  .min = 1, .max = 64, .fits = is_version,
	  .pattern = "^[0-9][A-Za-z0-9.+-]*$" },
	{ "integrity", CX_SHAPE_TEXT, "What its tarball must hash to",
	  .required = true,
	  .fits = is_integrity, .pattern = "^sha512-[A-Za-z0-9+/]{86}==$" },
	{ 0 },
};

static const struct cx_shape members[] = {
	{ "apiVersion", CX_SHAPE_TEXT, "Always cx/v1", .required = true,
	  .word = versions },
	{ "kind", CX_SHAPE_TEXT, "Always L0", .required = true,
	  .word = kinds },
	{ "name", CX_SHAPE_TEXT, "What the image is called beside its digest",
	  .required = true, .fits = cx_edition_name,
	  .pattern = "^[a-z0-9][a-z0-9._-]{0,63}$" },
	{ "from", CX_SHAPE_TEXT, "What it is made of", .required = true,
	  .word = from_words },
	{ "suite", CX_SHAPE_TEXT, "The Debian suite", .min = 1, .max = 64,
	  .fits = is_suite, .pattern = "^[A-Za-z0-9][A-Za-z0-9.-]*$" },
	{ "variant", CX_SHAPE_TEXT, "mmdebstrap's variant, apt by default",
	  .word = variants },
	{ "components", CX_SHAPE_LIST, "Components, main by default",
	  .max = 16, .sub = component_item },
	{ "packages", CX_SHAPE_LIST, "What is installed beside the variant",
	  .max = 256, .sub = package_item },
	{ "npm", CX_SHAPE_OBJECT, "npm from the npm registry's own tarball",
	  .sub = npm_shape },
	{ "exclude", CX_SHAPE_LIST, "What is left out of every package",
	  .max = 64, .sub = pattern_item },
	{ "epoch", CX_SHAPE_NUMBER,
	  "SOURCE_DATE_EPOCH: no file is younger, so that builds are equal",
	  .required = true, .min = 1, .max = 4294967295 },
	{ 0 },
};

const struct cx_shape cx_recipe_shape = {
	.kind = CX_SHAPE_OBJECT, .about = "How a base image is made",
	.sub = members,
};

static int cross_check(const struct cx_recipe *recipe, struct cx_err *err)
{
	static const char *const only[] = { "suite", "variant", "components",
	                                    "packages", "npm", "exclude" };

	if (recipe->from == CX_RECIPE_DEBIAN && !recipe->suite) {
		cx_err_set(err, CX_E_DECLARATION_INVALID,
		           "from: debian needs a suite, such as trixie");
		return cx_err_at(err, "/suite");
	}
	if (recipe->from == CX_RECIPE_DEBIAN)
		return 0;
	for (size_t i = 0; i < CX_COUNT(only); i++)
		if (json_object_get(recipe->document, only[i])) {
			cx_err_set(err, CX_E_DECLARATION_INVALID,
			           "%s has a meaning only with from: debian",
			           only[i]);
			return cx_err_at(err, "/%s", only[i]);
		}
	return 0;
}

static void make_key(struct cx_recipe *recipe)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct utsname machine = { 0 };

	uname(&machine);
	cx_buf_print(&text, "cx-l0 %s %s\n", BUILDER, machine.machine);
	cx_canon_write(recipe->document, &text);
	cx_digest_of(text.data, text.size, &recipe->key);
}

static void fill(struct cx_recipe *recipe)
{
	const json_t *document = recipe->document;
	const json_t *npm = json_object_get(document, "npm");

	recipe->name = cx_json_text(document, "name");
	recipe->from = cx_str_same(cx_json_text(document, "from"), "debian")
		? CX_RECIPE_DEBIAN : CX_RECIPE_BUSYBOX;
	recipe->suite = cx_json_text(document, "suite");
	recipe->variant = cx_json_text(document, "variant");
	if (!recipe->variant)
		recipe->variant = "apt";
	recipe->components = json_object_get(document, "components");
	recipe->packages = json_object_get(document, "packages");
	recipe->exclude = json_object_get(document, "exclude");
	if (npm) {
		recipe->npm_version = cx_json_text(npm, "version");
		recipe->npm_integrity = cx_json_text(npm, "integrity");
	}
	recipe->epoch = cx_json_number(document, "epoch", 0);
	make_key(recipe);
}

int cx_recipe_load(const char *path, struct cx_recipe *ret, struct cx_err *err)
{
	CX_AUTO_RECIPE struct cx_recipe recipe = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (cx_fd_load(AT_FDCWD, path, RECIPE_MAX_BYTES, &text, err) < 0 ||
	    cx_yaml_parse_any(text.data, text.size, path, &recipe.document,
	                      err) < 0 ||
	    cx_shape_check(&cx_recipe_shape, recipe.document, "",
	                   CX_E_DECLARATION_INVALID, err) < 0)
		return -1;
	fill(&recipe);
	if (cross_check(&recipe, err) < 0)
		return -1;
	*ret = recipe;
	recipe.document = NULL;
	return 0;
}

static char *shipped(const char *name, const char *ending, int access_mode)
{
	static const char *const place[] = { "share/l0", "share/cx/l0" };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	for (size_t i = 0; i < CX_COUNT(place); i++) {
		char *path = cx_mem_print("%s/../%s/%s%s", self, place[i], name,
		                          ending);

		if (access(path, access_mode) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *cx_recipe_shipped(const char *name)
{
	return shipped(name, ".yaml", R_OK);
}

char *cx_recipe_program(const char *name)
{
	return shipped(name, "", X_OK);
}

void cx_recipe_done(struct cx_recipe *recipe)
{
	json_decref(recipe->document);
	*recipe = (struct cx_recipe){ 0 };
}
