/*
 * mac.h - HMAC-SHA-256 (RFC 2104), HKDF-SHA-256 (RFC 5869), PASETO's
 * pre-authentication encoding, and a comparison in constant time.
 */
#ifndef CX_DATA_MAC_H
#define CX_DATA_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/digest.h"

struct cx_mac { uint8_t byte[32]; };

/* A key with its two inner states made once; wipe with cx_mac_key_done. */
struct cx_mac_key { struct cx_digest_stream inner, outer; };

void cx_mac_key_make(const void *key, size_t size, struct cx_mac_key *ret);
void cx_mac_key_done(struct cx_mac_key *key);
void cx_mac_of(const struct cx_mac_key *key, const void *data, size_t size,
               struct cx_mac *ret);
bool cx_mac_same(const struct cx_mac *a, const struct cx_mac *b);

/* 32 bytes of HKDF-SHA-256 with an empty salt. */
void cx_mac_derive(const uint8_t secret[32], const char *info,
                   uint8_t ret_key[32]);

/* PAE: le64 count, then le64 length and bytes of each part (top bit clear). */
struct cx_mac_part { const void *data; size_t size; };
void cx_mac_pae(const struct cx_mac_part *part, size_t count,
                struct cx_buf *ret);

#endif
