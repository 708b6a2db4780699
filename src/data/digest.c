/*
 * digest.c - see digest.h.
 *
 * OpenSSL 3 calls these functions deprecated in favour of EVP, which looks an
 * algorithm up in its providers first: 2 ms and 2 MB of relocations for a
 * process that lives 3 ms. They are its own SHA-256 code all the same, with
 * the processor's SHA instructions. So the warning is silenced, here alone.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "data/digest.h"

#include <errno.h>
#include <openssl/sha.h>

#include "base/fd.h"
#include "base/hex.h"

#ifdef __x86_64__
/* libcrypto's own, found nowhere in its headers. */
extern unsigned int OPENSSL_ia32cap_P[4];
uint64_t OPENSSL_ia32_cpuid(unsigned int *ret);
#endif

enum { LARGE_BYTES = 8192 };

_Static_assert(sizeof(struct cx_digest_stream) == sizeof(SHA256_CTX),
               "the stream is OpenSSL's context");
_Static_assert(_Alignof(struct cx_digest_stream) >= _Alignof(SHA256_CTX),
               "the stream is OpenSSL's context");

static SHA256_CTX *context(struct cx_digest_stream *stream)
{
	return (SHA256_CTX *)(void *)stream;
}

/* What the processor can do isn't asked before main() in the tools that start
 * for every command (base/start.mk), but here, once there is much to do: each
 * of these questions is a trap to the host in a virtual machine. */
static void know_processor(void)
{
#ifdef __x86_64__
	uint64_t can;

	if (OPENSSL_ia32cap_P[0])
		return;
	can = OPENSSL_ia32_cpuid(OPENSSL_ia32cap_P);
	OPENSSL_ia32cap_P[1] = (unsigned)(can >> 32);
	OPENSSL_ia32cap_P[0] = (unsigned)can | 1U << 10; /* it is known */
#endif
}

void cx_digest_start(struct cx_digest_stream *stream)
{
	SHA256_Init(context(stream));
}

void cx_digest_add(struct cx_digest_stream *stream, const void *data,
                   size_t size)
{
	if (size >= LARGE_BYTES)
		know_processor();
	SHA256_Update(context(stream), data, size);
}

void cx_digest_end(struct cx_digest_stream *stream, struct cx_digest *ret)
{
	SHA256_Final(ret->byte, context(stream));
}

void cx_digest_of(const void *data, size_t size, struct cx_digest *ret)
{
	struct cx_digest_stream stream;

	cx_digest_start(&stream);
	cx_digest_add(&stream, data, size);
	cx_digest_end(&stream, ret);
}

bool cx_digest_same(const struct cx_digest *a, const struct cx_digest *b)
{
	return memcmp(a->byte, b->byte, sizeof a->byte) == 0;
}

void cx_digest_text(const struct cx_digest *digest, char ret[CX_DIGEST_TEXT])
{
	memcpy(ret, "sha256:", 7);
	cx_hex_write(digest->byte, sizeof digest->byte, ret + 7);
}

bool cx_digest_parse(const char *text, struct cx_digest *ret)
{
	struct cx_digest digest;

	if (strncmp(text, "sha256:", 7) != 0 ||
	    !cx_hex_read(text + 7, digest.byte, sizeof digest.byte))
		return false;
	*ret = digest;
	return true;
}

int cx_digest_file(int fd, struct cx_digest *ret, uint64_t *ret_size)
{
	struct cx_digest_stream stream;
	char block[32768];
	uint64_t size = 0;
	ssize_t count;

	cx_digest_start(&stream);
	while ((count = cx_fd_read(fd, block, sizeof block)) > 0) {
		cx_digest_add(&stream, block, (size_t)count);
		size += (uint64_t)count;
	}
	if (count < 0)
		return -1;
	cx_digest_end(&stream, ret);
	*ret_size = size;
	return 0;
}
