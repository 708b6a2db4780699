/* keyring.c - see keyring.h. */
#include "seal/keyring.h"

#include "base/clock.h"
#include "plane/key.h"

static int entry_of(struct cx_desk *desk, const char *kid, json_t **ret,
                    struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	const struct cx_ring_entry *entry;

	if (cx_ring_load(&desk->state, &ring, err) < 0)
		return -1;
	entry = cx_ring_find(&ring, kid);
	if (!entry)
		return cx_err_set(err, CX_E_INTERNAL,
		                  "the ring lost the key %s meanwhile", kid);
	*ret = cx_ring_json(entry);
	return 0;
}

int cx_keyring_new(struct cx_desk *desk, const char *purpose, const char *kid,
                   json_t **ret_entry, struct cx_err *err)
{
	enum cx_ring_purpose found = CX_RING_SESSION;
	char made[CX_RING_KID_MAX];

	if (purpose && !cx_ring_find_purpose(purpose, &found))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "--purpose must be session, provenance, "
		                  "audit or gateway");
	if (cx_key_add(&desk->state, found, kid, CX_RING_VERIFY_ONLY, made,
	               err) < 0)
		return -1;
	return entry_of(desk, made, ret_entry, err);
}

int cx_keyring_activate(struct cx_desk *desk, const char *kid,
                        json_t **ret_entry, struct cx_err *err)
{
	if (cx_key_change(&desk->state, kid, CX_RING_ACTIVE, err) < 0)
		return -1;
	return entry_of(desk, kid, ret_entry, err);
}

/* How many layers' provenance would no longer verify. */
static int count_layers(struct cx_desk *desk, const char *kid, int64_t *ret,
                        struct cx_err *err)
{
	*ret = 0;
	if (!cx_db_exists(&desk->state))
		return 0;
	return cx_db_count(&desk->db, err, 0, ret,
	                   "SELECT count(*) FROM layers WHERE kid = ?", "s",
	                   kid);
}

static int check_unused(struct cx_desk *desk, const char *kid,
                        struct cx_err *err)
{
	int64_t layers;

	if (count_layers(desk, kid, &layers, err) < 0)
		return -1;
	if (layers > 0)
		return cx_err_set(err, CX_E_PROVENANCE_INVALID,
		                  "%lld live layers are signed with %s; move "
		                  "them with cx-build resign --from %s, or "
		                  "give them up with --force",
		                  (long long)layers, kid, kid);
	return 0;
}

int cx_keyring_retire(struct cx_desk *desk, const char *kid, bool force,
                      bool *ret_idle, json_t **ret_entry, struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	const struct cx_ring_entry *entry;

	if (cx_ring_load(&desk->state, &ring, err) < 0)
		return -1;
	entry = cx_ring_find(&ring, kid);
	if (!force && entry && entry->purpose == CX_RING_PROVENANCE &&
	    check_unused(desk, kid, err) < 0)
		return -1;
	if (cx_key_change(&desk->state, kid, CX_RING_RETIRED, err) < 0)
		return -1;
	cx_ring_done(&ring);
	if (cx_ring_load(&desk->state, &ring, err) < 0)
		return -1;
	entry = cx_ring_find(&ring, kid);
	*ret_idle = entry && !cx_ring_active(&ring, entry->purpose,
	                                     cx_clock_wall_ms() / 1000);
	return entry_of(desk, kid, ret_entry, err);
}

int cx_keyring_list(struct cx_desk *desk, json_t **ret_doc,
                    struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	json_t *doc, *list;

	if (desk->state.fd >= 0 && cx_ring_load(&desk->state, &ring, err) < 0 &&
	    err->code != CX_E_KEY_MISSING)
		return -1;
	doc = json_object();
	list = json_array();
	for (size_t i = 0; i < ring.count; i++)
		json_array_append_new(list, cx_ring_json(&ring.entry[i]));
	json_object_set_new(doc, "keys", list);
	*ret_doc = doc;
	return 0;
}
