/* debian.c - see debian.h. */
#include "build/debian.h"

#include <sys/stat.h>

#include "base/count.h"
#include "base/interrupt.h"
#include "base/str.h"
#include "build/bootstrap.h"
#include "build/skeleton.h"
#include "store/tar.h"

/* What differs from build to build or tells of this machine. */
static bool place(const char *path, mode_t mode, void *context,
                  char ret[CX_TARNAME_MAX])
{
	static const char *const out[] = {
		"var/lib/apt/lists/", "var/cache/apt/", "var/log/",
		"etc/apt/sources.list.d/", "dev/", "tmp/", "run/",
		"var/cache/ldconfig/",
		/* compiled by the way, so held to its source by time */
		"usr/share/python3/debpython/__pycache__/",
	};
	static const char *const file[] = {
		"etc/apt/sources.list", "etc/hostname", "etc/hosts",
		"etc/resolv.conf", "etc/machine-id",
		"var/lib/dbus/machine-id", "etc/passwd-", "etc/group-",
		"etc/shadow-", "etc/gshadow-", "etc/subuid-", "etc/subgid-",
	};

	(void)context;
	for (size_t i = 0; i < CX_COUNT(out); i++)
		if (cx_str_starts(path, out[i]) && path[strlen(out[i])])
			return false;
	for (size_t i = 0; i < CX_COUNT(file); i++)
		if (cx_str_same(path, file[i]))
			return false;
	if (S_ISREG(mode) && cx_str_ends(path, "-old") &&
	    (cx_str_starts(path, "var/cache/debconf/") ||
	     cx_str_starts(path, "var/lib/dpkg/")))
		return false;
	memcpy(ret, path, strlen(path) + 1);
	return true;
}

/* What apt and a few programs want to find where place() left nothing. */
static int add_texts(struct cx_draft *draft, struct cx_err *err)
{
	static const struct { const char *path, *text; } file[] = {
		{ "etc/apt/sources.list",
		  "# Sources are given to each build from outside.\n" },
		{ "etc/hostname", "localhost\n" },
		{ "etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n" },
		{ "etc/resolv.conf", "" },
		{ "etc/machine-id", "" },
	};

	for (size_t i = 0; i < CX_COUNT(file); i++)
		if (cx_draft_bytes(draft, file[i].path, 0644, file[i].text,
		                   strlen(file[i].text), err) < 0)
			return -1;
	return 0;
}

static int watch(const void *data, size_t size, void *context,
                 struct cx_err *err)
{
	(void)data;
	(void)size;
	(void)context;
	return cx_interrupt_check(err);
}

static int unpack(struct cx_bootstrap *bootstrap, struct cx_draft *draft,
                  struct cx_err *err)
{
	const struct cx_tar_order order = { .place = place };
	CX_AUTO_INFLATE struct cx_inflate inflate = {
		.fd = bootstrap->out_fd, .tap_in = watch,
	};
	struct cx_digest unused_digest;
	uint64_t bytes;

	if (cx_inflate_start(&inflate, err) < 0 ||
	    cx_tar_unpack(&inflate, &order, draft, err) < 0)
		return -1;
	return cx_inflate_end(&inflate, &unused_digest, &bytes, err);
}

static int bootstrap(struct cx_draft *draft, const struct cx_recipe *recipe,
                     const char *mirror, const struct cx_progress *progress,
                     struct cx_err *err)
{
	CX_AUTO_BOOTSTRAP struct cx_bootstrap child = CX_BOOTSTRAP_NONE;
	CX_AUTO_MIRROR struct cx_mirror found = { 0 };
	struct cx_err broken;
	int unpacked;

	if (cx_mirror_find(mirror, &found, err) < 0)
		return -1;
	cx_progress_say(progress, "starting mmdebstrap");
	if (cx_bootstrap_start(recipe, &found, progress, &child, err) < 0 ||
	    cx_bootstrap_wait(&child, err) < 0)
		return -1;
	unpacked = unpack(&child, draft, &broken);
	if (cx_interrupt_check(err) < 0)
		return -1;
	/* its own complaint says more than a tar that ends too early */
	if (unpacked < 0 && broken.code != CX_E_LAYER_CORRUPT)
		*err = broken;
	else if (cx_bootstrap_end(&child, err) == 0 && unpacked < 0)
		*err = broken;
	else
		return unpacked;
	return -1;
}

int cx_debian_fill(struct cx_draft *draft, const struct cx_recipe *recipe,
                   const char *mirror, const struct cx_progress *progress,
                   struct cx_err *err)
{
	if (bootstrap(draft, recipe, mirror, progress, err) < 0)
		return -1;
	cx_progress_say(progress, "finishing the base");
	if (add_texts(draft, err) < 0 || cx_skeleton_user(draft, err) < 0)
		return -1;
	return cx_skeleton_folders(draft, err);
}
