/* made.c - see made.h. What changes here changes CX_MADE_NAME. */
#include "box/made.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/hex.h"
#include "base/path.h"
#include "base/rand.h"

enum { ATTEMPTS = 8 };

static const char *const folder[] = {
	"dev", "etc", "proc", "run", "run/cx", "skills", "tmp", "workspace",
};

static const struct {
	const char *name;
	const char *text;
} file[] = {
	{ "etc/passwd",
	  "root:x:0:0:root:/root:/usr/sbin/nologin\n"
	  "cx:x:10001:10001:cx:/workspace:/bin/bash\n"
	  "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n" },
	{ "etc/group",
	  "root:x:0:\ntty:x:5:\ncx:x:10001:\nnogroup:x:65534:\n" },
	{ "etc/hosts",
	  "127.0.0.1 localhost\n"
	  "127.0.1.1 " CX_MADE_HOST "\n"
	  "::1 localhost ip6-localhost ip6-loopback\n" },
	{ "etc/resolv.conf",
	  "nameserver 127.0.0.53\noptions timeout:1 attempts:1\n" },
	{ "etc/hostname", CX_MADE_HOST "\n" },
	{ "etc/machine-id", "637863786378637863786378637863ff\n" },
	{ "etc/nsswitch.conf",
	  "passwd: files\ngroup: files\nshadow: files\n"
	  "hosts: files dns\nnetworks: files\nprotocols: files\n"
	  "services: files\nethers: files\nrpc: files\n" },
};

static int make_folder(int dir_fd, const char *name)
{
	if (mkdirat(dir_fd, name, 0755) < 0)
		return -1;
	return fchmodat(dir_fd, name, 0755, 0); /* whatever the umask */
}

static int make_file(int dir_fd, const char *name, const char *text)
{
	CX_AUTO_FD int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL |
	                           O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0 || cx_fd_write(fd, text, strlen(text)) < 0)
		return -1;
	return fchmod(fd, 0644);
}

int cx_made_fill(int dir_fd)
{
	for (size_t i = 0; i < CX_COUNT(folder); i++)
		if (make_folder(dir_fd, folder[i]) < 0)
			return -1;
	for (size_t i = 0; i < CX_COUNT(file); i++)
		if (make_file(dir_fd, file[i].name, file[i].text) < 0)
			return -1;
	return 0;
}

/* A draft like those of a layer, leased: one that nobody holds any longer is
 * removed by the next change of the store. syncfs, so that after a crash the
 * name stands for whole files or not at all. */
static int publish(int roots_fd, int tmp_fd, const char *name)
{
	CX_AUTO_FD int fd = -1;
	int saved;

	if (make_folder(tmp_fd, name) < 0)
		return -1;
	fd = openat(tmp_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX) == 0 && cx_made_fill(fd) == 0 &&
	    syncfs(fd) == 0 &&
	    renameat(tmp_fd, name, roots_fd, CX_MADE_NAME) == 0)
		return 0;
	saved = errno;
	cx_path_remove(tmp_fd, name);
	errno = saved;
	return -1;
}

static bool is_there(int roots_fd)
{
	return faccessat(roots_fd, CX_MADE_NAME, F_OK, 0) == 0;
}

int cx_made_publish(int roots_fd)
{
	CX_AUTO_FD int tmp_fd = -1;
	uint8_t random[12];
	char name[sizeof random * 2 + 1];
	struct cx_err unused;

	if (is_there(roots_fd))
		return 0;
	if (mkdirat(roots_fd, CX_MADE_DRAFTS, 0700) < 0 && errno != EEXIST)
		return -1;
	tmp_fd = cx_path_open(roots_fd, CX_MADE_DRAFTS,
	                      O_RDONLY | O_DIRECTORY, 0);
	if (tmp_fd < 0)
		return -1;
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (cx_rand_fill(random, sizeof random, &unused) < 0)
			return -1;
		cx_hex_write(random, sizeof random, name);
		if (publish(roots_fd, tmp_fd, name) == 0 || is_there(roots_fd))
			return 0;
		/* taken for a dead one's before it was leased */
		if (errno != ENOENT)
			return -1;
	}
	return -1;
}
