/* busybox.c - see busybox.h. */
#include "build/busybox.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/skeleton.h"

#define PROGRAM "usr/bin/busybox"

enum { PROGRAM_MAX_BYTES = 64 * 1024 * 1024, LIST_MAX_BYTES = 64 * 1024 };

/* Its ash has no name "bash" of its own; a script hands over. */
static const char bash[] = "#!/bin/busybox sh\n"
                           "exec /bin/busybox sh \"$@\"\n";

static const char os_release[] = "ID=busybox\nNAME=\"cx busybox base\"\n"
                                 "PRETTY_NAME=\"cx busybox base\"\n";

static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n"
                             "nobody:x:65534:65534:nobody:/:/bin/false\n";

static const char group[] = "root:x:0:\nnogroup:x:65534:\n";

static int unusable(const char *why, struct cx_err *err)
{
	cx_err_set(err, CX_E_IO_ERROR,
	           "%s; install the package busybox-static", why);
	err->status = 69;
	return -1;
}

/* No interpreter among the program headers. */
static bool is_static(const struct cx_buf *file)
{
	const char *data = file->data;
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (file->size < sizeof head || memcmp(data, ELFMAG, SELFMAG) != 0 ||
	    data[EI_CLASS] != ELFCLASS64)
		return false;
	memcpy(&head, data, sizeof head);
	for (size_t i = 0; i < head.e_phnum; i++) {
		size_t at = head.e_phoff + i * sizeof part;

		if (head.e_phoff > file->size ||
		    at + sizeof part > file->size)
			return false;
		memcpy(&part, data + at, sizeof part);
		if (part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

static int load_program(struct cx_buf *ret, const char **ret_path,
                        struct cx_err *err)
{
	static const char *const place[] = { "/bin/busybox",
	                                     "/usr/bin/busybox" };

	for (size_t i = 0; i < CX_COUNT(place); i++) {
		cx_buf_clear(ret);
		if (cx_fd_load(AT_FDCWD, place[i], PROGRAM_MAX_BYTES, ret,
		               err) < 0) {
			if (err->sys == ENOENT)
				continue;
			return -1;
		}
		if (!is_static(ret))
			return unusable("this machine's busybox isn't static",
			                err);
		*ret_path = place[i];
		return 0;
	}
	return unusable("this machine has no busybox", err);
}

static int add_symlink(struct cx_draft *draft, const char *path,
                       const char *target, struct cx_err *err)
{
	CX_AUTO_FREE char *own = cx_mem_text(path);
	CX_AUTO_FREE char *to = cx_mem_text(target);
	struct cx_entry entry = { .path = own, .link = to,
	                          .mode = S_IFLNK | 0777,
	                          .mtime = draft->latest };

	return cx_draft_symlink(draft, &entry, err);
}

/* A link for each applet; busybox itself and bash are there. */
static int add_applets(struct cx_draft *draft, const char *program,
                       struct cx_err *err)
{
	const char *const argv[] = { program, "--list", NULL };
	const char *const env[] = { NULL };
	CX_AUTO_BUF struct cx_buf list = { 0 };
	char *line, *rest;

	if (cx_spawn_output(argv, env, LIST_MAX_BYTES, &list, err) < 0)
		return -1;
	for (rest = list.data; rest && *rest;) {
		CX_AUTO_FREE char *path = NULL;

		line = rest;
		rest += strcspn(rest, "\n");
		if (*rest)
			*rest++ = '\0';
		if (!cx_path_name(line) || cx_str_same(line, "busybox") ||
		    cx_str_same(line, "bash"))
			continue;
		path = cx_mem_print("usr/bin/%s", line);
		if (add_symlink(draft, path, "busybox", err) < 0)
			return -1;
	}
	return 0;
}

static int add_texts(struct cx_draft *draft, struct cx_err *err)
{
	static const struct {
		const char *path;
		const char *text;
		mode_t mode;
	} file[] = {
		{ "usr/bin/bash", bash, 0755 },
		{ "etc/os-release", os_release, 0644 },
		{ "etc/passwd", passwd, 0644 },
		{ "etc/group", group, 0644 },
	};

	for (size_t i = 0; i < CX_COUNT(file); i++)
		if (cx_draft_bytes(draft, file[i].path, file[i].mode,
		                   file[i].text, strlen(file[i].text),
		                   err) < 0)
			return -1;
	return 0;
}

int cx_busybox_fill(struct cx_draft *draft, const struct cx_recipe *recipe,
                    struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf program = { 0 };
	const char *path = NULL;

	(void)recipe;
	if (load_program(&program, &path, err) < 0 ||
	    cx_draft_bytes(draft, PROGRAM, 0755, program.data, program.size,
	                   err) < 0 ||
	    add_applets(draft, path, err) < 0 ||
	    add_symlink(draft, "bin", "usr/bin", err) < 0 ||
	    add_symlink(draft, "sbin", "usr/bin", err) < 0 ||
	    add_symlink(draft, "usr/sbin", "bin", err) < 0 ||
	    add_texts(draft, err) < 0 ||
	    cx_skeleton_user(draft, err) < 0)
		return -1;
	return cx_skeleton_folders(draft, err);
}
