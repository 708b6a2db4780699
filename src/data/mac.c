/* mac.c - see mac.h. */
#include "data/mac.h"

#include "base/mem.h"

enum { BLOCK = 64 };

static void absorb_pad(struct cx_digest_stream *stream, const uint8_t *key,
                       uint8_t pad)
{
	uint8_t block[BLOCK];

	for (size_t i = 0; i < BLOCK; i++)
		block[i] = key[i] ^ pad;
	cx_digest_start(stream);
	cx_digest_add(stream, block, BLOCK);
	cx_mem_wipe(block, sizeof block);
}

void cx_mac_key_make(const void *key, size_t size, struct cx_mac_key *ret)
{
	uint8_t block[BLOCK] = { 0 };
	struct cx_digest hashed;

	if (size > BLOCK) {
		cx_digest_of(key, size, &hashed);
		memcpy(block, hashed.byte, sizeof hashed.byte);
		cx_mem_wipe(&hashed, sizeof hashed);
	} else if (size) {
		memcpy(block, key, size);
	}
	absorb_pad(&ret->inner, block, 0x36);
	absorb_pad(&ret->outer, block, 0x5c);
	cx_mem_wipe(block, sizeof block);
}

void cx_mac_key_done(struct cx_mac_key *key)
{
	cx_mem_wipe(key, sizeof *key);
}

void cx_mac_of(const struct cx_mac_key *key, const void *data, size_t size,
               struct cx_mac *ret)
{
	struct cx_digest_stream stream = key->inner;
	struct cx_digest digest;

	cx_digest_add(&stream, data, size);
	cx_digest_end(&stream, &digest);
	stream = key->outer;
	cx_digest_add(&stream, digest.byte, sizeof digest.byte);
	cx_digest_end(&stream, &digest);
	memcpy(ret->byte, digest.byte, sizeof ret->byte);
}

/* The empty asm keeps the compiler from knowing differs, so that no turn of
 * the loop can be left out. */
bool cx_mac_same(const struct cx_mac *a, const struct cx_mac *b)
{
	uint64_t differs = 0, left, right;

	for (size_t i = 0; i < sizeof a->byte; i += sizeof left) {
		memcpy(&left, a->byte + i, sizeof left);
		memcpy(&right, b->byte + i, sizeof right);
		differs |= left ^ right;
		__asm__ volatile("" : "+r"(differs));
	}
	return differs == 0;
}

void cx_mac_derive(const uint8_t secret[32], const char *info,
                   uint8_t ret_key[32])
{
	static const uint8_t salt[32] = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_mac_key key;
	struct cx_mac mac;

	cx_mac_key_make(salt, sizeof salt, &key);
	cx_mac_of(&key, secret, 32, &mac);
	cx_mac_key_make(mac.byte, sizeof mac.byte, &key);
	cx_buf_text(&text, info);
	cx_buf_byte(&text, 1);
	cx_mac_of(&key, text.data, text.size, &mac);
	memcpy(ret_key, mac.byte, sizeof mac.byte);
	cx_mac_key_done(&key);
	cx_mem_wipe(&mac, sizeof mac);
}

static void add_le64(struct cx_buf *out, uint64_t number)
{
	char byte[8];

	number &= UINT64_MAX >> 1;
	for (size_t i = 0; i < sizeof byte; i++)
		byte[i] = (char)(number >> (8 * i) & 0xff);
	cx_buf_add(out, byte, sizeof byte);
}

void cx_mac_pae(const struct cx_mac_part *part, size_t count,
                struct cx_buf *ret)
{
	add_le64(ret, count);
	for (size_t i = 0; i < count; i++) {
		add_le64(ret, part[i].size);
		cx_buf_add(ret, part[i].data, part[i].size);
	}
}
