/* rand.c - see rand.h. */
#include "base/rand.h"

#include <errno.h>
#include <sys/random.h>

int cx_rand_fill(void *data, size_t size, struct cx_err *err)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = getrandom((char *)data + have, size - have, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			cx_err_sys(err, CX_E_INTERNAL,
			           "the system gives no random bytes");
			err->status = 71;
			return -1;
		}
		have += (size_t)n;
	}
	return 0;
}
