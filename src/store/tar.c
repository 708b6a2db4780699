/* tar.c - see tar.h. */
#include "store/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"

/* Apparent sizes count: a sparse file is as big as it says. */
#define FILES_MAX_BYTES ((uint64_t)64 << 30)

#define NO_LOWER "speaks of a lower layer, and there is none"

struct reader {
	struct cx_inflate *inflate;
	const struct cx_tar_order *order;
	struct cx_draft *draft;
	struct archive *archive;
	struct archive_entry *header;
	uint64_t bytes;
	struct cx_err *err;
};

static la_ssize_t pull(struct archive *archive, void *context,
                       const void **ret_data)
{
	struct reader *reader = context;
	struct cx_err err;
	ssize_t n = cx_inflate_read(reader->inflate, ret_data, &err);

	if (n < 0) {
		*reader->err = err;
		archive_set_error(archive, EIO, "%s", err.text);
	}
	return n;
}

static int refuse(struct reader *reader, const char *name, const char *why)
{
	return cx_err_set(reader->err, CX_E_LAYER_CORRUPT, "%.300s: %s", name,
	                  why);
}

static int broken(struct reader *reader)
{
	if (reader->err->code == CX_E_NONE)
		cx_err_set(reader->err, CX_E_LAYER_CORRUPT,
		           "the archive can't be read: %.200s",
		           archive_error_string(reader->archive));
	return -1;
}

/* The devices that every /dev has: the sandbox makes its own. */
static bool is_usual_device(const char *path)
{
	static const char *const usual[] = {
		"dev/console", "dev/full", "dev/null", "dev/ptmx",
		"dev/random", "dev/tty", "dev/urandom", "dev/zero",
	};

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (cx_str_same(path, usual[i]))
			return true;
	return false;
}

static int check_xattrs(struct reader *reader, const char *path)
{
	const char *name;
	const void *value;
	size_t size;

	archive_entry_xattr_reset(reader->header);
	while (archive_entry_xattr_next(reader->header, &name, &value, &size) ==
	       ARCHIVE_OK)
		if (!CX_PROMISE(archive_xattr_harmless,
		                !cx_tarname_xattr_is_hostile(name)))
			return refuse(reader, path, "has an extended attribute "
			              "that no archive may bring");
	return 0;
}

static int fill_file(struct reader *reader, int fd, uint64_t size)
{
	const void *data;
	size_t length;
	int64_t offset;
	int got;

	while ((got = archive_read_data_block(reader->archive, &data, &length,
	                                      &offset)) == ARCHIVE_OK) {
		if (offset < 0 || (uint64_t)offset + length > size)
			return cx_err_set(reader->err, CX_E_LAYER_CORRUPT,
			                  "a file is longer than it says");
		while (length > 0) {
			ssize_t n = pwrite(fd, data, length, offset);

			if (n < 0)
				return cx_err_sys(reader->err, CX_E_IO_ERROR,
				                  "write a file of a layer");
			data = (const char *)data + n;
			length -= (size_t)n;
			offset += n;
		}
	}
	if (got != ARCHIVE_EOF)
		return broken(reader);
	if (ftruncate(fd, (off_t)size) < 0)
		return cx_err_sys(reader->err, CX_E_IO_ERROR,
		                  "write a file of a layer");
	return 0;
}

static int add_file(struct reader *reader, const struct cx_entry *entry)
{
	CX_AUTO_FD int fd = -1;
	const uint64_t max = reader->order->bytes_max
		? reader->order->bytes_max : FILES_MAX_BYTES;

	reader->bytes += entry->size;
	if (entry->size > max || reader->bytes > max)
		return refuse(reader, entry->path, "is too big");
	if (cx_draft_file(reader->draft, entry, &fd, reader->err) < 0 ||
	    fill_file(reader, fd, entry->size) < 0)
		return -1;
	return cx_draft_file_end(reader->draft, cx_fd_take(&fd), reader->err);
}

static int add_symlink(struct reader *reader, struct cx_entry *entry)
{
	const char *target = archive_entry_symlink(reader->header);

	if (!target)
		return refuse(reader, entry->path, "is a link to nothing");
	if (!CX_PROMISE(archive_link_stays,
	                cx_tarname_link_stays(entry->path, target)))
		return refuse(reader, entry->path,
		              "is a link out of the archive");
	entry->link = cx_mem_text(target);
	return cx_draft_symlink(reader->draft, entry, reader->err);
}

static int add_hardlink(struct reader *reader, struct cx_entry *entry)
{
	char plain[CX_TARNAME_MAX], place[CX_TARNAME_MAX];
	const char *target = archive_entry_hardlink(reader->header);

	if (!target || !cx_tarname_plain(target, plain) || !plain[0])
		return refuse(reader, entry->path,
		              "is a link out of the archive");
	if (!reader->order->place)
		memcpy(place, plain, sizeof place);
	else if (!reader->order->place(plain, S_IFREG, reader->order->context,
	                               place))
		return refuse(reader, entry->path,
		              "is a second name of what is left out");
	entry->link = cx_mem_text(place);
	entry->hard = true;
	entry->mode = S_IFREG | (entry->mode & 07777);
	return cx_draft_hardlink(reader->draft, entry, reader->err);
}

static int add(struct reader *reader, struct cx_entry *entry)
{
	if (archive_entry_hardlink(reader->header))
		return add_hardlink(reader, entry);
	switch (entry->mode & S_IFMT) {
	case S_IFDIR:
		return cx_draft_folder(reader->draft, entry, reader->err);
	case S_IFREG:
		return add_file(reader, entry);
	case S_IFLNK:
		return add_symlink(reader, entry);
	case S_IFCHR:
	case S_IFBLK:
		if (CX_PROMISE(archive_without_devices,
		               is_usual_device(entry->path)))
			return 0;
		return refuse(reader, entry->path, "is a device");
	default: /* a number from an archive, not an enum of ours */
		return refuse(reader, entry->path,
		              "is neither a file, a folder nor a link");
	}
}

/* What a layer's ".wh." names say; 1: nothing, it's an entry like any. */
static int obey_mark(struct reader *reader, const char *path)
{
	char about[CX_TARNAME_MAX];

	switch (cx_tarname_mark(path, about)) {
	case CX_TARNAME_PLAIN:
		return 1;
	case CX_TARNAME_WHITEOUT:
		if (!reader->order->layer)
			return refuse(reader, path, NO_LOWER);
		return cx_draft_whiteout(reader->draft, about, reader->err);
	case CX_TARNAME_OPAQUE:
		if (!reader->order->layer)
			return refuse(reader, path, NO_LOWER);
		return cx_draft_opaque(reader->draft, about, reader->err);
	case CX_TARNAME_AUFS:
		return 0;
	case CX_TARNAME_FAULTY:
		break;
	}
	return refuse(reader, path, "is a whiteout of nothing");
}

static int describe(struct reader *reader, const char *path,
                    struct cx_entry *ret)
{
	struct archive_entry *header = reader->header;
	int64_t uid = archive_entry_uid(header);
	int64_t gid = archive_entry_gid(header);
	int64_t size = archive_entry_size(header);

	if (uid < 0 || gid < 0 || uid >= UINT32_MAX || gid >= UINT32_MAX ||
	    size < 0)
		return refuse(reader, path, "has an impossible owner or size");
	*ret = (struct cx_entry){
		.mode = archive_entry_mode(header),
		.uid = (uint32_t)uid, .gid = (uint32_t)gid,
		.mtime = archive_entry_mtime(header),
		.size = (uint64_t)size,
	};
	return 0;
}

static int take(struct reader *reader)
{
	const char *name = archive_entry_pathname(reader->header);
	char plain[CX_TARNAME_MAX], place[CX_TARNAME_MAX];
	struct cx_entry entry;
	int status;

	if (!name || !cx_tarname_plain(name, plain))
		return refuse(reader, name ? name : "an entry",
		              "isn't a path inside the archive");
	if (describe(reader, plain, &entry) < 0 ||
	    check_xattrs(reader, plain) < 0)
		return -1;
	if (!plain[0] && !S_ISDIR(entry.mode))
		return refuse(reader, name, "stands where the root stands");
	status = obey_mark(reader, plain);
	if (status <= 0)
		return status;
	if (!reader->order->place)
		memcpy(place, plain, sizeof place);
	else if (!reader->order->place(plain, entry.mode,
	                               reader->order->context, place))
		return 0;
	entry.path = place;
	status = add(reader, &entry);
	free(entry.link);
	return status;
}

static int take_all(struct reader *reader)
{
	int got;

	/* a warning (a name that isn't UTF-8, a strange header) is an entry */
	while ((got = archive_read_next_header(reader->archive,
	                                       &reader->header)) ==
	               ARCHIVE_OK || got == ARCHIVE_WARN)
		if (take(reader) < 0)
			return -1;
	return got == ARCHIVE_EOF ? 0 : broken(reader);
}

int cx_tar_unpack(struct cx_inflate *inflate, const struct cx_tar_order *order,
                  struct cx_draft *draft, struct cx_err *err)
{
	struct reader reader = { inflate, order, draft, archive_read_new(),
	                         NULL, 0, err };
	int status;

	if (!reader.archive)
		return cx_err_set(err, CX_E_INTERNAL, "no archive reader");
	/* libarchive translates names by the locale */
	setlocale(LC_CTYPE, "C.UTF-8");
	err->code = CX_E_NONE;
	if (archive_read_support_format_tar(reader.archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(reader.archive) != ARCHIVE_OK ||
	    archive_read_open(reader.archive, &reader, NULL, pull, NULL) !=
	    ARCHIVE_OK)
		status = broken(&reader);
	else
		status = take_all(&reader);
	archive_read_free(reader.archive);
	return status;
}
