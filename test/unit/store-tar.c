/* store-tar.c - a workspace to a tar file and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "store/tarin.h"
#include "store/tarout.h"

static char folder[64];
static int top = -1, from = -1, to = -1;

static int make_folders(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/cx-unit-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mkdirat(top, "from", 0755) < 0 || mkdirat(top, "to", 0755) < 0)
		return -1;
	from = openat(top, "from", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	to = openat(top, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return to < 0 ? -1 : 0;
}

static int drop_folders(void **state)
{
	(void)state;
	close(from);
	close(to);
	close(top);
	return cx_path_remove(AT_FDCWD, folder);
}

static void put(int at, const char *name, const void *data, size_t size,
                off_t offset)
{
	CX_AUTO_FD int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC,
	                           0640);

	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, offset, SEEK_SET), offset);
	assert_int_equal(cx_fd_write(fd, data, size), 0);
}

static int memory(void)
{
	int fd = memfd_create("tar", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static const struct cx_tarin_rule no_rule;

static int import(int tar, const struct cx_tarin_rule *rule,
                  struct cx_err *err)
{
	CX_AUTO_JSON json_t *files = json_array();

	assert_int_equal(lseek(tar, 0, SEEK_SET), 0);
	return cx_tarin_read(tar, to, rule, files, err);
}

static void same_entry(const json_t *one, const json_t *two)
{
	static const char *const name[] = { "path", "type", "sha256", "target" };

	for (size_t i = 0; i < CX_COUNT(name); i++) {
		const json_t *a = json_object_get(one, name[i]);
		const json_t *b = json_object_get(two, name[i]);

		assert_true(a == b || json_equal(a, b));
	}
}

/* The number of entries, and a digest of the list, out and in. */
static void round_trip(size_t entries)
{
	CX_AUTO_JSON json_t *out = json_array();
	CX_AUTO_JSON json_t *back = json_array();
	CX_AUTO_FD int tar = memory();
	struct cx_err err = { 0 };
	bool truncated;

	assert_int_equal(cx_tarout_write(from, tar, out, &truncated,
	                                 &err), 0);
	assert_int_equal(json_array_size(out), entries);
	assert_int_equal(lseek(tar, 0, SEEK_SET), 0);
	if (cx_tarin_read(tar, to, &no_rule, back, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0, k = 0; i < json_array_size(out); i++) {
		const json_t *one = json_array_get(out, i);

		if (cx_str_same(cx_json_text(one, "type"), "pipe"))
			continue;
		same_entry(one, json_array_get(back, k++));
	}
}

static void kinds(void **state)
{
	struct stat one, two;
	char name[201];

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	put(from, "a", "hello", 5, 0);
	put(from, "empty", "", 0, 0);
	put(from, name, "long", 4, 0);
	put(from, "b\xff\nad", "bytes", 5, 0);
	assert_int_equal(mkdirat(from, "d", 0500), 0);
	assert_int_equal(linkat(from, "a", from, "again", 0), 0);
	assert_int_equal(symlinkat("../../../etc/passwd", from, "out"), 0);
	assert_int_equal(mkfifoat(from, "pipe", 0644), 0);
	round_trip(8);
	assert_int_equal(fstatat(to, "a", &one, 0), 0);
	assert_int_equal(fstatat(to, "again", &two, 0), 0);
	assert_int_equal(one.st_ino, two.st_ino);
	assert_int_equal(one.st_mode & 07777, 0640);
	assert_int_equal(fstatat(to, "b\xff\nad", &one, 0), 0);
	assert_int_equal(fstatat(to, "pipe", &one, 0), -1);
}

/* 8 GiB of nothing with three pieces in it cost three pieces. */
static void holes(void **state)
{
	CX_AUTO_FD int fd = -1;
	struct stat stat;
	char byte = 0;

	(void)state;
	put(from, "hole", "one", 3, 0);
	put(from, "hole", "two", 3, 3LL << 30);
	put(from, "hole", "three", 5, (8LL << 30) - 5);
	put(from, "end", "x", 1, 1 << 20);
	fd = openat(from, "end", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, 5 << 20), 0);
	round_trip(2);
	assert_int_equal(fstatat(to, "hole", &stat, 0), 0);
	assert_int_equal(stat.st_size, 8LL << 30);
	assert_true(stat.st_blocks < 128);
	close(fd);
	fd = openat(to, "hole", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, &byte, 1, 3LL << 30), 1);
	assert_int_equal(byte, 't');
}

static void deep(void **state)
{
	int at = openat(from, ".", O_RDONLY | O_CLOEXEC);

	(void)state;
	for (int i = 0; i < 400; i++) {
		int next;

		assert_int_equal(mkdirat(at, "dddddddddddddddd", 0755), 0);
		next = openat(at, "dddddddddddddddd", O_RDONLY | O_CLOEXEC);
		put(next, "f", "x", 1, 0);
		close(at);
		at = next;
	}
	close(at);
	round_trip(800);
}

static void limits(void **state)
{
	const struct cx_tarin_rule kib = { .max = { .kib = 4 } };
	const struct cx_tarin_rule inodes = { .max = { .inodes = 2 } };
	CX_AUTO_JSON json_t *out = json_array();
	CX_AUTO_FD int tar = memory();
	struct cx_err err = { 0 };
	char block[3000] = "x";
	bool truncated;

	(void)state;
	put(from, "a", block, sizeof block, 0);
	put(from, "b", block, sizeof block, 0);
	put(from, "c", "", 0, 0);
	assert_int_equal(cx_tarout_write(from, tar, out, &truncated,
	                                 &err), 0);
	assert_int_equal(import(tar, &no_rule, &err), 0);
	assert_int_equal(import(tar, &kib, &err), -1);
	assert_int_equal(err.code, CX_E_INPUT_INVALID);
	assert_int_equal(import(tar, &inodes, &err), -1);
	assert_int_equal(err.code, CX_E_INPUT_INVALID);
}

/* An archive with every byte changed, one after another, and cut at every
 * length: refused or read, never a fault, never a file elsewhere. */
static void damaged(void **state)
{
	CX_AUTO_JSON json_t *out = json_array();
	CX_AUTO_FD int tar = memory();
	CX_AUTO_BUF struct cx_buf all = { 0 };
	struct cx_err err = { 0 };
	bool truncated;

	(void)state;
	put(from, "hole", "one", 3, 1 << 20);
	assert_int_equal(symlinkat("/tmp", from, "link"), 0);
	assert_int_equal(cx_tarout_write(from, tar, out, &truncated,
	                                 &err), 0);
	assert_int_equal(lseek(tar, 0, SEEK_SET), 0);
	assert_int_equal(cx_fd_slurp(tar, 1 << 20, "tar", &all, &err), 0);
	for (size_t i = 0; i < all.size; i++) {
		char was = all.data[i];

		all.data[i] = (char)(was ^ (1 << (i % 8)));
		assert_int_equal(ftruncate(tar, 0), 0);
		assert_int_equal(pwrite(tar, all.data, all.size, 0), all.size);
		import(tar, &no_rule, &err);
		all.data[i] = was;
	}
	for (size_t i = 0; i < all.size; i += 7) {
		assert_int_equal(ftruncate(tar, (off_t)i), 0);
		import(tar, &no_rule, &err);
	}
}

#define ROW(name) \
	cmocka_unit_test_setup_teardown(name, make_folders, drop_folders)

int main(void)
{
	const struct CMUnitTest test[] = {
		ROW(kinds), ROW(holes), ROW(deep), ROW(limits), ROW(damaged),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
