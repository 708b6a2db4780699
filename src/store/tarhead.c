/* tarhead.c - see tarhead.h. */
#include "store/tarhead.h"

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"

static int refuse(struct cx_err *err, const char *why)
{
	return cx_err_set(err, CX_E_INPUT_INVALID, "the tar file %s", why);
}

int cx_tarhead_read(int fd, void *data, size_t size, struct cx_err *err)
{
	ssize_t n = cx_fd_read(fd, data, size);

	if (n < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read the tar file");
	return (size_t)n == size ? 0 : refuse(err, "is cut short");
}

void cx_tarhead_done(struct cx_tarhead *head)
{
	cx_buf_done(&head->path);
	cx_buf_done(&head->link);
	*head = (struct cx_tarhead){ 0 };
}

static void set(struct cx_buf *buf, const char *data, size_t size)
{
	cx_buf_clear(buf);
	cx_buf_add(buf, data, size);
}

static int read_long(int fd, uint64_t size, struct cx_buf *ret,
                     struct cx_err *err)
{
	char padding[CX_TARBLOCK_BYTES];

	if (size > CX_TARHEAD_RECORDS_MAX_BYTES)
		return refuse(err, "has a header of over 1 MiB");
	cx_buf_clear(ret);
	if (cx_tarhead_read(fd, cx_buf_room(ret, size), size, err) < 0)
		return -1;
	ret->size = size;
	ret->data[size] = '\0';
	return cx_tarhead_read(fd, padding, cx_tarblock_padding(size), err);
}

/* What a member's records said, beside what its block says. */
struct said {
	bool path, link, size;
};

static int take_record(struct cx_tarhead *head, struct said *said,
                       const char *name, const char *value, size_t size,
                       struct cx_err *err)
{
	uint64_t number = 0;
	bool is_number = cx_num_parse(value, 0, INT64_MAX, &number) &&
	                 strlen(value) == size;

	if (cx_str_same(name, "path") && !head->sparse) {
		set(&head->path, value, size);
		said->path = true;
	} else if (cx_str_same(name, "GNU.sparse.name")) {
		set(&head->path, value, size);
		said->path = true;
	} else if (cx_str_same(name, "linkpath")) {
		set(&head->link, value, size);
		said->link = true;
	} else if (cx_str_same(name, "size")) {
		head->size = number;
		said->size = true;
		return is_number ? 0 : refuse(err, "has a size that is none");
	} else if (cx_str_same(name, "GNU.sparse.realsize")) {
		head->real_size = number;
		return is_number ? 0 : refuse(err, "has a size that is none");
	} else if (cx_str_same(name, "GNU.sparse.major")) {
		head->sparse = true;
		return number == 1 ? 0 : refuse(err, "has sparse files of "
		                                "another format than 1.0");
	} else if (cx_str_starts(name, "GNU.sparse.") &&
	           !cx_str_same(name, "GNU.sparse.minor")) {
		return refuse(err, "has sparse files of another format than "
		              "1.0");
	}
	return 0;
}

/* "<length> <name>=<value>\n" one after another. */
static int take_records(struct cx_tarhead *head, struct said *said,
                        struct cx_buf *records, struct cx_err *err)
{
	char *at = records->data, *end = at + records->size;

	while (at < end) {
		char *rest = at;
		unsigned long length = 0;
		char *name, *equals;

		while (rest < end && *rest >= '0' && *rest <= '9' &&
		       length < CX_TARHEAD_RECORDS_MAX_BYTES)
			length = length * 10 + (unsigned long)(*rest++ - '0');
		if (rest == at || *rest != ' ' || length < 5 ||
		    length > (unsigned long)(end - at) ||
		    at + length <= rest + 1 || at[length - 1] != '\n')
			return refuse(err, "has a pax record that is none");
		name = rest + 1;
		at[length - 1] = '\0';
		equals = memchr(name, '=', (size_t)(at + length - 1 - name));
		if (!equals)
			return refuse(err, "has a pax record that is none");
		*equals = '\0';
		if (take_record(head, said, name, equals + 1,
		                (size_t)(at + length - 2 - equals), err) < 0)
			return -1;
		at += length;
	}
	return 0;
}

static void add_field(struct cx_buf *buf, const char *field, size_t size)
{
	cx_buf_add(buf, field, strnlen(field, size));
}

static int take_block(struct cx_tarhead *head, const struct said *said,
                      const struct cx_tarblock *block, uint64_t size,
                      struct cx_err *err)
{
	uint64_t mode;

	if (!cx_tarblock_number(block->mode, sizeof block->mode, &mode))
		return refuse(err, "has a mode that is none");
	if (!cx_tarblock_number(block->mtime, sizeof block->mtime,
	                        &head->mtime))
		head->mtime = 0;
	head->mode = (unsigned)mode & 0777;
	head->type = block->type;
	if (!said->size)
		head->size = size;
	if (!said->path) {
		cx_buf_clear(&head->path);
		if (memcmp(block->magic, "ustar\0", 6) == 0 && *block->prefix) {
			add_field(&head->path, block->prefix,
			          sizeof block->prefix);
			cx_buf_byte(&head->path, '/');
		}
		add_field(&head->path, block->name, sizeof block->name);
	}
	if (!said->link) {
		cx_buf_clear(&head->link);
		add_field(&head->link, block->link, sizeof block->link);
	}
	return 0;
}

/* A block that tells of the next member: 1 taken, 0 it is a member, -1. */
static int take_extra(int fd, struct cx_tarhead *head, struct said *said,
                      const struct cx_tarblock *block, uint64_t size,
                      struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (block->type != 'x' && block->type != 'g' && block->type != 'L' &&
	    block->type != 'K')
		return 0;
	if (read_long(fd, size, &text, err) < 0)
		return -1;
	if (block->type == 'x' && take_records(head, said, &text, err) < 0)
		return -1;
	if (block->type == 'L') {
		set(&head->path, text.data, strlen(text.data));
		said->path = true;
	}
	if (block->type == 'K') {
		set(&head->link, text.data, strlen(text.data));
		said->link = true;
	}
	return 1;
}

int cx_tarhead_next(int fd, struct cx_tarhead *ret, struct cx_err *err)
{
	struct said said = { false, false, false };

	ret->sparse = false;
	ret->real_size = 0;
	for (;;) {
		struct cx_tarblock block;
		ssize_t n = cx_fd_read(fd, &block, sizeof block);
		uint64_t size;
		int got;

		if (n < 0)
			return cx_err_sys(err, CX_E_IO_ERROR,
			                  "read the tar file");
		if (n == 0 || ((size_t)n == sizeof block &&
		               cx_tarblock_is_end(&block)))
			return 0;
		if ((size_t)n != sizeof block ||
		    !cx_tarblock_is_valid(&block) ||
		    !cx_tarblock_number(block.size, sizeof block.size, &size) ||
		    size > INT64_MAX)
			return refuse(err, "isn't a plain tar file (a packed "
			              "one has to be unpacked first: "
			              "zstd -d, gzip -d)");
		got = take_extra(fd, ret, &said, &block, size, err);
		if (got < 0)
			return -1;
		if (got == 0)
			return take_block(ret, &said, &block, size, err) < 0
			       ? -1 : 1;
	}
}
