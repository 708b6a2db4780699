/* knob.c - see knob.h. */
#include "sys/knob.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/fd.h"

int cx_knob_write(int dir_fd, const char *name, const char *text)
{
	CX_AUTO_FD int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = write(fd, text, size);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size ? 0 : -1;
}

int cx_knob_write_number(int dir_fd, const char *name, uint64_t number)
{
	char text[24];
	char *at = text + sizeof text - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	return cx_knob_write(dir_fd, name, at);
}

int cx_knob_read(int dir_fd, const char *name, char *ret, size_t size)
{
	CX_AUTO_FD int own = name ? openat(dir_fd, name, O_RDONLY | O_CLOEXEC)
	                          : -1;
	int fd = name ? own : dir_fd;
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = pread(fd, ret, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	if (n > 0 && ret[n - 1] == '\n')
		n--;
	ret[n] = '\0';
	return 0;
}

/* A number at the start of text, which ends there or at a line's end. */
static int64_t leading_number(const char *text)
{
	int64_t number = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			return -1;
	return at > text && (*at == '\0' || *at == '\n') ? number : -1;
}

int64_t cx_knob_number(int dir_fd, const char *name)
{
	char text[64];

	if (cx_knob_read(dir_fd, name, text, sizeof text) < 0)
		return -1;
	return leading_number(text);
}

int64_t cx_knob_field(int dir_fd, const char *name, const char *key)
{
	char text[4096];
	size_t length = strlen(key);

	if (cx_knob_read(dir_fd, name, text, sizeof text) < 0)
		return -1;
	for (const char *line = text; line; ) {
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return leading_number(line + length + 1);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return -1;
}

bool cx_knob_has_word(int dir_fd, const char *name, const char *word)
{
	char text[4096];
	size_t length = strlen(word);

	if (cx_knob_read(dir_fd, name, text, sizeof text) < 0)
		return false;
	for (const char *at = text; *at; ) {
		size_t span = strcspn(at, " \n");

		if (span == length && memcmp(at, word, length) == 0)
			return true;
		at += span;
		at += strspn(at, " \n");
	}
	return false;
}
