/* mirror.c - see mirror.h. */
#include "build/mirror.h"

#include <errno.h>

#include "base/mem.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/client.h"

enum { LIST_MAX_BYTES = 256 * 1024 };

static int unknown(struct cx_err *err)
{
	cx_err_set(err, CX_E_IO_ERROR,
	           "this machine's apt knows no Debian mirror; name one with "
	           "--mirror ADDRESS");
	err->status = 69;
	return -1;
}

static bool is_usable(const char *uri)
{
	const char *host = strstr(uri, "://");

	return (cx_str_starts(uri, "http://") ||
	        cx_str_starts(uri, "https://")) &&
	       strcspn(host + 3, "@") >= strcspn(host + 3, "/");
}

static int check(const char *uri, struct cx_err *err)
{
	for (const char *at = uri; *at; at++)
		if (*at <= ' ' || *at > '~' || strchr("[]\"'\\", *at))
			return cx_err_set(err, CX_E_USAGE,
			                  "the mirror's address has a "
			                  "character that no address has");
	if (!is_usable(uri))
		return cx_err_set(err, CX_E_USAGE,
		                  "a mirror's address begins with http:// or "
		                  "https:// and carries no credentials");
	return 0;
}

/* "URI RELEASE COMPONENT" of apt; which of them are Debian's own shows by the
 * release that names its security archive "<release>-security". */
struct target { char *uri, *release; };

static bool next_target(char **text, struct target *ret)
{
	char *line = *text, *end = line + strcspn(line, "\n");
	char *space;

	if (!*line)
		return false;
	*text = *end ? end + 1 : end;
	*end = '\0';
	ret->uri = line;
	space = strchr(line, ' ');
	if (!space)
		return next_target(text, ret);
	*space = '\0';
	ret->release = space + 1;
	ret->release[strcspn(ret->release, " ")] = '\0';
	return true;
}

/* Finds the archive of "<release>" for whose release there is a security one
 * too; of several the first. */
static void choose(char *text, struct cx_mirror *ret)
{
	CX_AUTO_FREE char *copy = cx_mem_text(text);
	CX_AUTO_FREE char *release = NULL;
	struct target target;
	char *at = copy;

	while (next_target(&at, &target))
		if (!ret->security && is_usable(target.uri) &&
		    cx_str_ends(target.release, "-security")) {
			ret->security = cx_mem_text(target.uri);
			release = cx_mem_copy(target.release,
			                      strlen(target.release) - 9);
		}
	while (next_target(&text, &target))
		if (!ret->main && is_usable(target.uri) &&
		    (release ? cx_str_same(target.release, release)
		             : cx_str_ends(target.uri, "/debian/")))
			ret->main = cx_mem_text(target.uri);
}

static int ask_apt(struct cx_mirror *ret, struct cx_err *err)
{
	static const char *const argv[] = {
		"apt-get", "indextargets", "--format",
		"$(REPO_URI) $(RELEASE)", "--", "Created-By: Packages", NULL,
	};
	CX_AUTO_BUF struct cx_buf list = { 0 };
	struct cx_client client;

	cx_client_start(&client);
	if (cx_spawn_output(argv, client.env, LIST_MAX_BYTES, &list, err) < 0)
		return err->sys == ENOENT ? unknown(err) : -1;
	if (list.size)
		choose(list.data, ret);
	return ret->main ? 0 : unknown(err);
}

/* Apt's proxy; it isn't an error to have none. */
static void ask_proxy(struct cx_mirror *ret)
{
	static const char *const argv[] = {
		"apt-config", "shell", "P", "Acquire::http::Proxy", NULL,
	};
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_client client;
	struct cx_err unused;
	char *from, *to;

	cx_client_start(&client);
	if (cx_spawn_output(argv, client.env, 4096, &text, &unused) < 0 ||
	    text.size == 0)
		return;
	from = strchr(text.data, '\'');
	to = from ? strchr(from + 1, '\'') : NULL;
	if (to) {
		*to = '\0';
		if (is_usable(from + 1))
			ret->proxy = cx_mem_text(from + 1);
	}
}

int cx_mirror_find(const char *given, struct cx_mirror *ret,
                   struct cx_err *err)
{
	CX_AUTO_MIRROR struct cx_mirror mirror = { 0 };
	size_t length;

	if (given) {
		if (check(given, err) < 0)
			return -1;
		mirror.main = cx_mem_text(given);
		length = strlen(given) - cx_str_ends(given, "/");
		if (length > 7 &&
		    strncmp(given + length - 7, "/debian", 7) == 0)
			mirror.security = cx_mem_print("%.*s-security/",
			                               (int)length, given);
	} else if (ask_apt(&mirror, err) < 0) {
		return -1;
	}
	ask_proxy(&mirror);
	*ret = mirror;
	mirror = (struct cx_mirror){ 0 };
	return 0;
}

void cx_mirror_lines(const struct cx_mirror *mirror,
                     const struct cx_recipe *recipe, char *ret[4])
{
	CX_AUTO_BUF struct cx_buf components = { 0 };
	size_t count = 0, i;
	json_t *item;

	json_array_foreach (recipe->components, i, item)
		cx_buf_print(&components, " %s", json_string_value(item));
	if (components.size == 0)
		cx_buf_text(&components, " main");
	ret[count++] = cx_mem_print("deb %s %s%s", mirror->main, recipe->suite,
	                            components.data);
	if (!cx_str_same(recipe->suite, "sid") &&
	    !cx_str_same(recipe->suite, "unstable")) {
		ret[count++] = cx_mem_print("deb %s %s-updates%s", mirror->main,
		                            recipe->suite, components.data);
		if (mirror->security)
			ret[count++] = cx_mem_print(
				"deb %s %s-security%s", mirror->security,
				recipe->suite, components.data);
	}
	ret[count] = NULL;
}

void cx_mirror_done(struct cx_mirror *mirror)
{
	free(mirror->main);
	free(mirror->security);
	free(mirror->proxy);
	*mirror = (struct cx_mirror){ 0 };
}
