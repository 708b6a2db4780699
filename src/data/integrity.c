/* integrity.c - see integrity.h; the calls are digest.c's, one size up. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "data/integrity.h"

#include <errno.h>
#include <openssl/sha.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/promise.h"
#include "base/str.h"

#define PREFIX "sha512-"

static bool read_wanted(const char *text, struct cx_buf *ret)
{
	return cx_str_starts(text, PREFIX) &&
	       cx_b64_read(CX_B64_PADDED, text + sizeof PREFIX - 1,
	                   strlen(text) - (sizeof PREFIX - 1), ret) &&
	       ret->size == SHA512_DIGEST_LENGTH;
}

bool cx_integrity_well_formed(const char *text)
{
	CX_AUTO_BUF struct cx_buf wanted = { 0 };

	return read_wanted(text, &wanted);
}

static int hash_file(int fd, unsigned char ret[SHA512_DIGEST_LENGTH])
{
	char data[16384];
	SHA512_CTX hash;
	off_t at = 0;
	ssize_t n;

	SHA512_Init(&hash);
	while ((n = pread(fd, data, sizeof data, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		SHA512_Update(&hash, data, (size_t)n);
		at += n;
	}
	SHA512_Final(ret, &hash);
	return 0;
}

int cx_integrity_check(int fd, const char *text, const char *what,
                       struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf wanted = { 0 };
	unsigned char got[SHA512_DIGEST_LENGTH];

	if (!read_wanted(text, &wanted))
		return cx_err_set(err, CX_E_DIGEST_MISMATCH,
		                  "%s has no integrity of the form "
		                  "sha512-<base64>", what);
	if (hash_file(fd, got) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read %s", what);
	if (!CX_PROMISE(fetched_as_pinned,
	                memcmp(wanted.data, got, sizeof got) == 0))
		return cx_err_set(err, CX_E_DIGEST_MISMATCH,
		                  "%s doesn't have the integrity that the "
		                  "recipe pins", what);
	return 0;
}
