/* skeleton.c - see skeleton.h. */
#include "build/skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"

enum { FILE_MAX_BYTES = 64 * 1024 };

int cx_skeleton_folders(struct cx_draft *draft, struct cx_err *err)
{
	char name[][12] = { "dev", "proc", "run", "skills", "sys", "tmp",
	                    "workspace" };

	for (size_t i = 0; i < CX_COUNT(name); i++) {
		struct cx_entry folder = { .path = name[i],
		                           .mode = S_IFDIR | 0755,
		                           .mtime = draft->latest };
		struct stat is;

		if (strcmp(name[i], "tmp") == 0)
			folder.mode = S_IFDIR | 01777;
		if (fstatat(draft->root_fd, name[i], &is,
		            AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (cx_draft_folder(draft, &folder, err) < 0)
			return -1;
	}
	return 0;
}

/* Replaces path by what stands there plus one line. */
static int add_line(struct cx_draft *draft, const char *path, const char *line,
                    struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int fd = cx_path_open(draft->root_fd, path, O_RDONLY, 0);

	if (fd < 0 && errno != ENOENT)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s", path);
	if (fd >= 0 &&
	    (cx_fd_slurp(fd, FILE_MAX_BYTES, path, &text, err) < 0 ||
	     cx_draft_remove(draft, path, err) < 0))
		return -1;
	cx_buf_text(&text, line);
	return cx_draft_bytes(draft, path, 0644, text.data, text.size, err);
}

int cx_skeleton_user(struct cx_draft *draft, struct cx_err *err)
{
	if (add_line(draft, "etc/passwd",
	             "cx:x:10001:10001:cx:/workspace:/bin/bash\n", err) < 0)
		return -1;
	return add_line(draft, "etc/group", "cx:x:10001:\n", err);
}
