/* tail.c - see tail.h. */
#include "store/tail.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/hex.h"

struct page {
	uint64_t magic;
	struct cx_tail_boot boot;
	struct cx_tail tail;
	uint64_t check; /* FNV-1a of what stands before it */
};

static const uint64_t magic = 0x316c696174786301; /* "\1cxtail1" */

static uint64_t check_of(const struct page *page)
{
	const uint8_t *byte = (const uint8_t *)page;
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < offsetof(struct page, check); i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.*) */
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return hash;
}

void cx_tail_boot_now(struct cx_tail_boot *ret)
{
	static const char name[] = "/proc/sys/kernel/random/boot_id";
	char text[37], digit[33];
	size_t count = 0;
	CX_AUTO_FD int fd = open(name, O_RDONLY | O_CLOEXEC);

	*ret = (struct cx_tail_boot){ 0 };
	if (fd < 0 || cx_fd_read(fd, text, 36) != 36)
		return;
	for (size_t i = 0; i < 36 && count < 32; i++)
		if (text[i] != '-')
			digit[count++] = text[i];
	digit[count] = '\0';
	if (!cx_hex_read(digit, ret->byte, sizeof ret->byte))
		*ret = (struct cx_tail_boot){ 0 };
}

enum cx_tail_state cx_tail_load(int lock_fd, const struct cx_tail_boot *boot,
                                struct cx_tail *ret)
{
	struct page page = { .magic = 0 };

	if (pread(lock_fd, &page, sizeof page, 0) != (ssize_t)sizeof page ||
	    page.magic != magic || page.check != check_of(&page))
		return CX_TAIL_NONE;
	*ret = page.tail;
	if (memcmp(&page.boot, boot, sizeof *boot) != 0)
		return CX_TAIL_OLD_BOOT;
	return CX_TAIL_SOUND;
}

int cx_tail_save(int lock_fd, const struct cx_tail_boot *boot,
                 const struct cx_tail *tail)
{
	struct page page = { .magic = magic, .boot = *boot, .tail = *tail };
	ssize_t n;

	page.check = check_of(&page);
	do
		n = pwrite(lock_fd, &page, sizeof page, 0);
	while (n < 0 && errno == EINTR);
	if (n >= 0 && n != (ssize_t)sizeof page)
		errno = ENOSPC;
	return n == (ssize_t)sizeof page ? 0 : -1;
}
