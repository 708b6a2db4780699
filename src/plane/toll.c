/* toll.c - see toll.h. */
#include "plane/toll.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

static bool is_toll(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size == (off_t)sizeof(uint64_t);
}

int cx_toll_open(int folder_fd, int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int fd = openat(folder_fd, "egress", O_RDWR | O_CREAT |
	                           O_NOFOLLOW | O_CLOEXEC, 0600);

	/* two that make it at once make the same */
	if (fd < 0 || (!is_toll(fd) && ftruncate(fd, sizeof(uint64_t)) < 0))
		return cx_err_sys(err, CX_E_IO_ERROR, "the job's toll");
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

uint64_t *cx_toll_map(int fd)
{
	void *toll;

	if (!is_toll(fd))
		return NULL;
	toll = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
	             MAP_SHARED, fd, 0);
	return toll == MAP_FAILED ? NULL : toll;
}

void cx_toll_unmap(uint64_t *toll)
{
	if (toll)
		munmap(toll, sizeof *toll);
}

uint64_t cx_toll_take(uint64_t *toll, uint64_t max, uint64_t wish)
{
	uint64_t used = __atomic_load_n(toll, __ATOMIC_RELAXED);
	uint64_t part;

	do {
		part = used < max ? max - used : 0;
		if (part > wish)
			part = wish;
	} while (part > 0 &&
	         !__atomic_compare_exchange_n(toll, &used, used + part, true,
	                                      __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	return part;
}

void cx_toll_give(uint64_t *toll, uint64_t bytes)
{
	__atomic_fetch_sub(toll, bytes, __ATOMIC_RELAXED);
}
