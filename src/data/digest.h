/*
 * digest.h - SHA-256 and its text form.
 *
 * libcrypto's low-level calls: fetching an algorithm through EVP costs more
 * than a whole start-up. Their deprecation is silenced in digest.c alone.
 */
#ifndef CX_DATA_DIGEST_H
#define CX_DATA_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cx_digest { uint8_t byte[32]; };

enum { CX_DIGEST_TEXT = 72 }; /* "sha256:" + 64 + NUL */

struct cx_digest_stream { uint32_t word[28]; }; /* opaque: SHA256_CTX */

void cx_digest_start(struct cx_digest_stream *stream);
void cx_digest_add(struct cx_digest_stream *stream, const void *data,
                   size_t size);
void cx_digest_end(struct cx_digest_stream *stream, struct cx_digest *ret);

void cx_digest_of(const void *data, size_t size, struct cx_digest *ret);
bool cx_digest_same(const struct cx_digest *a, const struct cx_digest *b);

/* "sha256:<64 hex>" both ways; reading takes nothing else. */
void cx_digest_text(const struct cx_digest *digest, char ret[CX_DIGEST_TEXT]);
bool cx_digest_parse(const char *text, struct cx_digest *ret);

/* The whole file; -1 and errno. */
int cx_digest_file(int fd, struct cx_digest *ret, uint64_t *ret_size);

#endif
