/* attribute.c - see attribute.h. */
#include "store/attribute.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { TRIES = 8 };

/* One file, by a descriptor that opens nothing, and its attributes' names. */
struct bearer {
	int handle;
	char link[32];
	char *names;    /* each with its NUL; NULL: none */
	size_t size;
};

static void done(struct bearer *bearer)
{
	cx_fd_close_at(&bearer->handle);
	free(CX_TAKE(bearer->names));
}

#define AUTO_BEARER __attribute__((cleanup(done)))

/* Where a file system knows none, there are none. */
static int list(struct bearer *bearer)
{
	for (int i = 0; i < TRIES; i++) {
		ssize_t n = listxattr(bearer->link, NULL, 0);

		if (n < 0)
			return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -1;
		if (n == 0)
			return 0;
		free(bearer->names);
		bearer->names = cx_mem_grow(NULL, (size_t)n, 1);
		n = listxattr(bearer->link, bearer->names, (size_t)n);
		if (n >= 0) {
			bearer->size = (size_t)n;
			return 0;
		}
		if (errno != ERANGE)
			return -1;
	}
	return -1;
}

static int meet(int folder_fd, const char *name, struct bearer *ret)
{
	*ret = (struct bearer){ .handle = openat(folder_fd, name, O_PATH |
	                                         O_NOFOLLOW | O_CLOEXEC) };
	if (ret->handle < 0)
		return -1;
	snprintf(ret->link, sizeof ret->link, "/proc/self/fd/%d", ret->handle);
	return list(ret);
}

/* Others are the machine's: it labels what we make by itself. */
static bool is_ours(const char *name)
{
	return cx_str_starts(name, "user.") ||
	       cx_str_starts(name, "system.posix_acl_");
}

static const char *next(const struct bearer *bearer, const char *name)
{
	const char *at = name ? name + strlen(name) + 1 : bearer->names;

	while (at && at < bearer->names + bearer->size && !is_ours(at))
		at += strlen(at) + 1;
	return at && at < bearer->names + bearer->size ? at : NULL;
}

static size_t count(const struct bearer *bearer)
{
	size_t n = 0;

	for (const char *at = next(bearer, NULL); at; at = next(bearer, at))
		n++;
	return n;
}

/* One who closed a file to himself can't read these either. */
static ssize_t read_closed(const struct bearer *bearer, const char *name,
                           void *data, size_t size)
{
	struct stat stat;
	ssize_t n = getxattr(bearer->link, name, data, size);

	if (n >= 0 || errno != EACCES || fstat(bearer->handle, &stat) < 0 ||
	    chmod(bearer->link, (stat.st_mode & 07777) | 0400) < 0)
		return n;
	n = getxattr(bearer->link, name, data, size);
	if (chmod(bearer->link, stat.st_mode & 07777) < 0)
		return -1;
	return n;
}

static int fetch(const struct bearer *bearer, const char *name,
                 struct cx_buf *ret)
{
	ssize_t n;

	cx_buf_clear(ret);
	n = read_closed(bearer, name, cx_buf_room(ret, XATTR_SIZE_MAX),
	                XATTR_SIZE_MAX);
	if (n < 0)
		return -1;
	ret->size = (size_t)n;
	return 0;
}

static bool has(const struct bearer *bearer, const char *name)
{
	for (const char *at = next(bearer, NULL); at; at = next(bearer, at))
		if (cx_str_same(at, name))
			return true;
	return false;
}

int cx_attribute_copy(int from_fd, const char *from, int to_fd, const char *to)
{
	AUTO_BEARER struct bearer source = { .handle = -1 };
	AUTO_BEARER struct bearer target = { .handle = -1 };
	CX_AUTO_BUF struct cx_buf value = { 0 };

	if (meet(from_fd, from, &source) < 0 || meet(to_fd, to, &target) < 0)
		return -1;
	/* a folder hands access lists down to what is made in it */
	for (const char *at = next(&target, NULL); at; at = next(&target, at))
		if (!has(&source, at) && removexattr(target.link, at) < 0)
			return -1;
	for (const char *at = next(&source, NULL); at; at = next(&source, at))
		if (fetch(&source, at, &value) < 0 ||
		    setxattr(target.link, at, value.data, value.size, 0) < 0)
			return -1;
	return 0;
}

int cx_attribute_same(int one_fd, const char *one, int other_fd,
                      const char *other)
{
	AUTO_BEARER struct bearer a = { .handle = -1 };
	AUTO_BEARER struct bearer b = { .handle = -1 };
	CX_AUTO_BUF struct cx_buf left = { 0 };
	CX_AUTO_BUF struct cx_buf right = { 0 };

	if (meet(one_fd, one, &a) < 0 || meet(other_fd, other, &b) < 0)
		return -1;
	if (count(&a) != count(&b))
		return 0;
	for (const char *at = next(&a, NULL); at; at = next(&a, at)) {
		if (!has(&b, at))
			return 0;
		if (fetch(&a, at, &left) < 0 || fetch(&b, at, &right) < 0)
			return -1;
		if (left.size != right.size ||
		    memcmp(left.data, right.data, left.size) != 0)
			return 0;
	}
	return 1;
}
