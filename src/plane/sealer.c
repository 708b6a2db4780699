/* sealer.c - see sealer.h. */
#include "plane/sealer.h"

#include "base/mem.h"
#include "base/rand.h"
#include "plane/secret.h"

static const char INFO[] = "cx session v1";

struct cx_sealer_cache *cx_sealer_cache(struct cx_sealer *sealer)
{
	if (!sealer->cache) {
		sealer->cache = cx_mem_new(sizeof *sealer->cache);
		sealer->cache->ring = CX_RING_NONE;
		sealer->cache->revocation = CX_REVOCATION_NONE;
	}
	return sealer->cache;
}

static void forget_keys(struct cx_sealer_cache *cache)
{
	cx_mem_wipe(cache->slot, sizeof cache->slot);
	cache->used = cache->next = 0;
}

void cx_sealer_done(struct cx_sealer *sealer)
{
	if (!sealer->cache)
		return;
	cx_ring_done(&sealer->cache->ring);
	cx_revocation_done(&sealer->cache->revocation);
	cx_buf_done(&sealer->cache->text);
	cx_mem_wipe(sealer->cache, sizeof *sealer->cache);
	free(sealer->cache);
	sealer->cache = NULL;
}

int cx_sealer_ready(struct cx_sealer *sealer, struct cx_err *err)
{
	struct cx_sealer_cache *cache = cx_sealer_cache(sealer);
	bool changed = false;
	int result;

	if (sealer->state->fd < 0)
		return cx_err_set(err, CX_E_KEY_MISSING,
		                  "there is no state folder, so there are no "
		                  "keys; cx-seal mint makes it and the first "
		                  "key");
	result = cx_ring_refresh(sealer->state, &cache->ring, &changed, err);
	if (changed)
		forget_keys(cache);
	return result;
}

static struct cx_sealer_key *find(struct cx_sealer_cache *cache,
                                  const char *kid)
{
	for (size_t i = 0; i < cache->used; i++)
		if (strcmp(cache->slot[i].kid, kid) == 0)
			return &cache->slot[i];
	return NULL;
}

/* The slot for another key: a free one, else the one made longest ago. */
static struct cx_sealer_key *take_slot(struct cx_sealer_cache *cache)
{
	struct cx_sealer_key *slot = &cache->slot[cache->next];

	cache->next = (cache->next + 1) % CX_SEALER_KEYS;
	if (cache->used < CX_SEALER_KEYS)
		cache->used++;
	return slot;
}

int cx_sealer_key(struct cx_sealer *sealer, const struct cx_ring_entry *entry,
                  const struct cx_mac_key **ret, struct cx_err *err)
{
	struct cx_sealer_cache *cache = sealer->cache;
	struct cx_sealer_key *slot = find(cache, entry->kid);
	uint8_t secret[CX_RING_KEY_BYTES], key[CX_RING_KEY_BYTES];

	if (!slot) {
		if (cx_secret_read(&cache->ring, entry, secret, err) < 0)
			return -1;
		cx_mac_derive(secret, INFO, key);
		slot = take_slot(cache);
		memcpy(slot->kid, entry->kid, sizeof slot->kid);
		cx_mac_key_make(key, sizeof key, &slot->key);
		cx_mem_wipe(secret, sizeof secret);
		cx_mem_wipe(key, sizeof key);
	}
	*ret = &slot->key;
	return 0;
}

int cx_sealer_instance(struct cx_sealer *sealer, const char **ret,
                       struct cx_err *err)
{
	struct cx_sealer_cache *cache = cx_sealer_cache(sealer);

	if (!cache->instance[0] &&
	    cx_key_instance(sealer->state, cache->instance, err) < 0)
		return -1;
	*ret = cache->instance;
	return 0;
}

int cx_sealer_random(struct cx_sealer *sealer, uint8_t ret[16],
                     struct cx_err *err)
{
	struct cx_sealer_cache *cache = cx_sealer_cache(sealer);

	if (cache->random_left == 0) {
		if (cx_rand_fill(cache->random, sizeof cache->random, err) < 0)
			return -1;
		cache->random_left = sizeof cache->random;
	}
	cache->random_left -= 16;
	memcpy(ret, cache->random + cache->random_left, 16);
	cx_mem_wipe(cache->random + cache->random_left, 16);
	return 0;
}
