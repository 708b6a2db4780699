/* ring.c - see ring.h. */
#include "plane/ring.h"

#include <errno.h>
#include <fcntl.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/promise.h"

enum { RING_MAX_BYTES = 4 * 1024 * 1024 };

static const char NAME[] = "ring.json";
static const char PATH[] = "keys/ring.json"; /* below the state folder */

static const struct { const char *text, *alg; } purpose_row[] = {
	[CX_RING_SESSION] = { "session", "hmac-sha256" },
	[CX_RING_PROVENANCE] = { "provenance", "ed25519" },
	[CX_RING_AUDIT] = { "audit", "ed25519" },
	[CX_RING_GATEWAY] = { "gateway", "hmac-sha256" },
};

static const char *const state_text[] = {
	[CX_RING_VERIFY_ONLY] = "verify-only",
	[CX_RING_ACTIVE] = "active",
	[CX_RING_RETIRED] = "retired",
};

const char *cx_ring_purpose_text(enum cx_ring_purpose purpose)
{
	return purpose < CX_COUNT(purpose_row) ? purpose_row[purpose].text : "";
}

bool cx_ring_find_purpose(const char *text, enum cx_ring_purpose *ret)
{
	for (size_t i = 0; i < CX_COUNT(purpose_row); i++)
		if (strcmp(purpose_row[i].text, text) == 0) {
			*ret = (enum cx_ring_purpose)i;
			return true;
		}
	return false;
}

const char *cx_ring_state_text(enum cx_ring_state state)
{
	return state < CX_COUNT(state_text) ? state_text[state] : "";
}

static bool find_state(const char *text, enum cx_ring_state *ret)
{
	for (size_t i = 0; i < CX_COUNT(state_text); i++)
		if (strcmp(state_text[i], text) == 0) {
			*ret = (enum cx_ring_state)i;
			return true;
		}
	return false;
}

const char *cx_ring_alg(enum cx_ring_purpose purpose)
{
	return purpose < CX_COUNT(purpose_row) ? purpose_row[purpose].alg : "";
}

bool cx_ring_is_kid(const char *text, size_t length)
{
	if (length == 0 || length >= CX_RING_KID_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!((text[i] >= 'a' && text[i] <= 'z') ||
		      (text[i] >= '0' && text[i] <= '9') || text[i] == '-'))
			return false;
	return true;
}

void cx_ring_done(struct cx_ring *ring)
{
	free(ring->entry);
	cx_fd_close_at(&ring->keys_fd);
	cx_fd_close_at(&ring->ring_fd);
	*ring = CX_RING_NONE;
}

const struct cx_ring_entry *cx_ring_find(const struct cx_ring *ring,
                                         const char *kid)
{
	for (size_t i = 0; i < ring->count; i++)
		if (strcmp(ring->entry[i].kid, kid) == 0)
			return &ring->entry[i];
	return NULL;
}

bool cx_ring_verifies(const struct cx_ring_entry *entry,
                      enum cx_ring_purpose purpose, int64_t now)
{
	return entry->purpose == purpose && entry->state != CX_RING_RETIRED &&
	       now >= entry->not_before && now < entry->not_after;
}

const struct cx_ring_entry *cx_ring_active(const struct cx_ring *ring,
                                           enum cx_ring_purpose purpose,
                                           int64_t now)
{
	const struct cx_ring_entry *last = NULL;

	for (size_t i = 0; i < ring->count; i++)
		if (ring->entry[i].state == CX_RING_ACTIVE &&
		    cx_ring_verifies(&ring->entry[i], purpose, now))
			last = &ring->entry[i];
	return last;
}

void cx_ring_put(struct cx_ring *ring, const struct cx_ring_entry *entry)
{
	ring->entry = cx_mem_grow(ring->entry, ring->count + 1,
	                          sizeof *ring->entry);
	ring->entry[ring->count++] = *entry;
}

static bool read_bound(const json_t *object, const char *name, int64_t absent,
                       int64_t *ret)
{
	const json_t *value = json_object_get(object, name);

	if (value && !json_is_null(value) && !json_is_integer(value))
		return false;
	*ret = json_is_integer(value) ? json_integer_value(value) : absent;
	return true;
}

static bool only_known(const json_t *object)
{
	static const char *const known[] = {
		"kid", "purpose", "alg", "state", "notBefore", "notAfter",
		"file",
	};
	size_t found = 0;

	for (size_t i = 0; i < CX_COUNT(known); i++)
		found += json_object_get(object, known[i]) != NULL;
	return found == json_object_size(object);
}

static bool read_entry(const json_t *object, struct cx_ring_entry *ret)
{
	const char *kid = cx_json_text(object, "kid");
	const char *purpose = cx_json_text(object, "purpose");
	const char *alg = cx_json_text(object, "alg");
	const char *state = cx_json_text(object, "state");
	const char *file = cx_json_text(object, "file");

	if (!kid || !purpose || !alg || !state || !file ||
	    !only_known(object) || !cx_ring_is_kid(kid, strlen(kid)) ||
	    !cx_ring_find_purpose(purpose, &ret->purpose) ||
	    !find_state(state, &ret->state) || !cx_path_name(file) ||
	    !read_bound(object, "notBefore", INT64_MIN, &ret->not_before) ||
	    !read_bound(object, "notAfter", INT64_MAX, &ret->not_after))
		return false;
	if (strlen(alg) >= sizeof ret->alg)
		return false;
	snprintf(ret->alg, sizeof ret->alg, "%s", alg);
	snprintf(ret->kid, sizeof ret->kid, "%s", kid);
	snprintf(ret->file, sizeof ret->file, "%s", file);
	return true;
}

static int read_all(const json_t *list, struct cx_ring *ring,
                    struct cx_err *err)
{
	if (!json_is_array(list) || json_array_size(list) > CX_RING_ENTRIES_MAX)
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "keys/%s is no list of at most %d keys", NAME,
		                  CX_RING_ENTRIES_MAX);
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct cx_ring_entry entry = { .not_before = 0 };

		if (!read_entry(json_array_get(list, i), &entry))
			return cx_err_set(err, CX_E_KEY_INVALID,
			                  "keys/%s: entry %zu isn't {kid, "
			                  "purpose, alg, state, notBefore, "
			                  "notAfter, file}", NAME, i);
		if (cx_ring_find(ring, entry.kid))
			return cx_err_set(err, CX_E_KEY_INVALID,
			                  "keys/%s names the kid %s twice; "
			                  "take one of them out", NAME,
			                  entry.kid);
		cx_ring_put(ring, &entry);
	}
	return 0;
}

static int check_ring_file(struct cx_ring *ring, struct cx_err *err)
{
	struct stat folder;
	bool ours;

	if (fstat(ring->ring_fd, &ring->seen) < 0 ||
	    fstat(ring->keys_fd, &folder) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "stat keys/%s", NAME);
	if (!S_ISREG(ring->seen.st_mode))
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "keys/%s is no regular file", NAME);
	ours = cx_fd_is_ours(&ring->seen) && cx_fd_is_ours(&folder);
	if (!CX_PROMISE(ring_private, ours))
		return cx_err_set(err, CX_E_KEY_PERMISSIONS,
		                  "keys/ and %s aren't ours alone to write; "
		                  "chown them to us, chmod 700 and 600 them",
		                  NAME);
	return 0;
}

static int parse(struct cx_ring *ring, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *list = NULL;

	if (cx_fd_slurp(ring->ring_fd, RING_MAX_BYTES, "keys/ring.json",
	                &text, err) < 0)
		return -1;
	if (cx_json_parse(text.data ? text.data : "", text.size,
	                  "keys/ring.json", &list, err) < 0) {
		err->code = CX_E_KEY_INVALID;
		return -1;
	}
	return read_all(list, ring, err);
}

static int absent(struct cx_err *err)
{
	return cx_err_set(err, CX_E_KEY_MISSING,
	                  "there is no key ring; cx-seal mint makes the first "
	                  "key, cx-seal key new another");
}

int cx_ring_load(const struct cx_state *state, struct cx_ring *ret,
                 struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;

	if (cx_state_peek(state, CX_STATE_KEYS, &ring.keys_fd, err) < 0)
		return -1;
	if (ring.keys_fd < 0)
		return absent(err);
	ring.ring_fd = openat(ring.keys_fd, NAME, O_RDONLY | O_NOFOLLOW |
	                      O_NONBLOCK | O_CLOEXEC);
	if (ring.ring_fd < 0 && errno == ENOENT)
		return absent(err);
	if (ring.ring_fd < 0 && errno == ELOOP)
		return cx_err_set(err, CX_E_KEY_PERMISSIONS,
		                  "keys/%s is a link; put the file itself "
		                  "there", NAME);
	if (ring.ring_fd < 0)
		return cx_err_sys(err, CX_E_KEY_PERMISSIONS, "open keys/%s",
		                  NAME);
	if (check_ring_file(&ring, err) < 0 || parse(&ring, err) < 0)
		return -1;
	*ret = ring;
	ring = CX_RING_NONE;
	return 0;
}

int cx_ring_refresh(const struct cx_state *state, struct cx_ring *ring,
                    bool *ret_changed, struct cx_err *err)
{
	struct stat now;

	*ret_changed = false;
	if (ring->ring_fd >= 0 &&
	    fstatat(state->fd, PATH, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	    cx_fd_unchanged(&ring->seen, &now))
		return 0;
	*ret_changed = true;
	cx_ring_done(ring);
	return cx_ring_load(state, ring, err);
}

json_t *cx_ring_json(const struct cx_ring_entry *entry)
{
	json_t *object = json_object();

	json_object_set_new(object, "kid", json_string(entry->kid));
	json_object_set_new(object, "purpose",
	                    json_string(cx_ring_purpose_text(entry->purpose)));
	json_object_set_new(object, "alg", json_string(entry->alg));
	json_object_set_new(object, "state",
	                    json_string(cx_ring_state_text(entry->state)));
	json_object_set_new(object, "notBefore",
	                    entry->not_before == INT64_MIN
	                    ? json_null() : json_integer(entry->not_before));
	json_object_set_new(object, "notAfter",
	                    entry->not_after == INT64_MAX
	                    ? json_null() : json_integer(entry->not_after));
	json_object_set_new(object, "file", json_string(entry->file));
	return object;
}

void cx_ring_write(const struct cx_ring *ring, struct cx_buf *ret)
{
	cx_buf_byte(ret, '[');
	for (size_t i = 0; i < ring->count; i++) {
		CX_AUTO_JSON json_t *object = cx_ring_json(&ring->entry[i]);

		cx_buf_text(ret, i > 0 ? ",\n" : "\n");
		cx_json_write(object, ret);
	}
	cx_buf_text(ret, "\n]\n");
}
