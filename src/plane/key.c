/* key.c - see key.h. */
#include "plane/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/rand.h"
#include "base/str.h"
#include "plane/secret.h"

static const char INSTANCE[] = "instance";

/* keys/, made when absent and locked; closing it gives the lock back. */
static int lock(const struct cx_state *state, int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	int result;

	if (cx_state_folder(state, CX_STATE_KEYS, &fd, err) < 0)
		return -1;
	do
		result = flock(fd, LOCK_EX);
	while (result < 0 && errno == EINTR);
	if (result < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "lock %s/keys",
		                  state->path);
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

/* The ring as it is; an empty one when there is none yet. */
static int load(const struct cx_state *state, struct cx_ring *ret,
                struct cx_err *err)
{
	if (cx_ring_load(state, ret, err) == 0)
		return 0;
	return err->code == CX_E_KEY_MISSING ? 0 : -1;
}

/* What a writer left that was killed; the lock says that none is at work. */
static void sweep(int keys_fd)
{
	DIR *folder = cx_path_list(keys_fd);
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (cx_str_starts(entry->d_name, ".ring.json.") &&
		    cx_str_ends(entry->d_name, ".tmp"))
			unlinkat(keys_fd, entry->d_name, 0);
	closedir(folder);
}

static int save(int keys_fd, const struct cx_ring *ring, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	sweep(keys_fd);
	cx_ring_write(ring, &text);
	return cx_fd_replace(keys_fd, "ring.json", text.data, text.size, 0600,
	                     err);
}

static int write_key(int keys_fd, const char *file,
                     const uint8_t key[CX_RING_KEY_BYTES], struct cx_err *err)
{
	CX_AUTO_FD int fd = openat(keys_fd, file, O_WRONLY | O_CREAT | O_EXCL |
	                           O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "keys/%s is there, but the ring doesn't name "
		                  "it; move it away", file);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make keys/%s", file);
	if (fchmod(fd, 0600) < 0 || cx_fd_write(fd, key, CX_RING_KEY_BYTES) < 0
	    || fsync(fd) < 0) {
		cx_err_sys(err, CX_E_IO_ERROR, "write keys/%s", file);
		unlinkat(keys_fd, file, 0);
		return -1;
	}
	return 0;
}

static int make_key(int keys_fd, const char *file, struct cx_err *err)
{
	uint8_t key[CX_RING_KEY_BYTES];
	int result = -1;

	if (cx_rand_fill(key, sizeof key, err) == 0)
		result = write_key(keys_fd, file, key, err);
	cx_mem_wipe(key, sizeof key);
	return result;
}

/* "k" and 10 random characters: nodes that share a ring don't collide. */
static int choose_kid(char ret_kid[CX_RING_KID_MAX], struct cx_err *err)
{
	static const char letter[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint8_t byte[10];

	if (cx_rand_fill(byte, sizeof byte, err) < 0)
		return -1;
	ret_kid[0] = 'k';
	for (size_t i = 0; i < sizeof byte; i++)
		ret_kid[i + 1] = letter[byte[i] % 32];
	ret_kid[sizeof byte + 1] = '\0';
	return 0;
}

static int make_instance(const struct cx_state *state, struct cx_err *err)
{
	char text[CX_KEY_INSTANCE_MAX + 1];
	uint8_t byte[16];

	if (faccessat(state->fd, INSTANCE, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (cx_rand_fill(byte, sizeof byte, err) < 0)
		return -1;
	cx_hex_write(byte, sizeof byte, text);
	text[32] = '\n';
	return cx_fd_replace(state->fd, INSTANCE, text, 33, 0600, err);
}

/* A new key at the ring's end, under the lock. */
static int add(const struct cx_state *state, int keys_fd, struct cx_ring *ring,
               struct cx_ring_entry *entry, struct cx_err *err)
{
	snprintf(entry->alg, sizeof entry->alg, "%s",
	         cx_ring_alg(entry->purpose));
	snprintf(entry->file, sizeof entry->file, "%s.key", entry->kid);
	entry->not_before = INT64_MIN;
	entry->not_after = INT64_MAX;
	if (make_instance(state, err) < 0 ||
	    make_key(keys_fd, entry->file, err) < 0)
		return -1;
	cx_ring_put(ring, entry);
	return save(keys_fd, ring, err);
}

static int take_kid(const char *kid, const struct cx_ring *ring,
                    char ret_kid[CX_RING_KID_MAX], struct cx_err *err)
{
	if (!kid)
		return choose_kid(ret_kid, err);
	if (!cx_ring_is_kid(kid, strlen(kid)))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "a kid is 1 to 32 of a-z, 0-9 and -");
	if (cx_ring_find(ring, kid))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the ring has a key %s already, and a kid is "
		                  "never used again", kid);
	snprintf(ret_kid, CX_RING_KID_MAX, "%s", kid);
	return 0;
}

int cx_key_add(const struct cx_state *state, enum cx_ring_purpose purpose,
               const char *kid, enum cx_ring_state key_state,
               char ret_kid[CX_RING_KID_MAX], struct cx_err *err)
{
	CX_AUTO_FD int keys_fd = -1;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	struct cx_ring_entry entry = { .purpose = purpose, .state = key_state };

	if (lock(state, &keys_fd, err) < 0 || load(state, &ring, err) < 0 ||
	    take_kid(kid, &ring, entry.kid, err) < 0 ||
	    add(state, keys_fd, &ring, &entry, err) < 0)
		return -1;
	snprintf(ret_kid, CX_RING_KID_MAX, "%s", entry.kid);
	return 0;
}

int cx_key_first(const struct cx_state *state, enum cx_ring_purpose purpose,
                 char ret_kid[CX_RING_KID_MAX], struct cx_err *err)
{
	CX_AUTO_FD int keys_fd = -1;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	struct cx_ring_entry entry = { .purpose = purpose,
	                               .state = CX_RING_ACTIVE };

	if (lock(state, &keys_fd, err) < 0 || load(state, &ring, err) < 0)
		return -1;
	for (size_t i = 0; i < ring.count; i++)
		if (ring.entry[i].purpose == purpose) {
			ret_kid[0] = '\0';
			return 0;
		}
	if (choose_kid(entry.kid, err) < 0 ||
	    add(state, keys_fd, &ring, &entry, err) < 0)
		return -1;
	snprintf(ret_kid, CX_RING_KID_MAX, "%s", entry.kid);
	return 0;
}

static struct cx_ring_entry *find(struct cx_ring *ring, const char *kid)
{
	for (size_t i = 0; i < ring->count; i++)
		if (strcmp(ring->entry[i].kid, kid) == 0)
			return &ring->entry[i];
	return NULL;
}

/* A key that can't be read would stop all minting. */
static int check_key(const struct cx_ring *ring,
                     const struct cx_ring_entry *entry, struct cx_err *err)
{
	uint8_t key[CX_RING_KEY_BYTES];
	int result = cx_secret_read(ring, entry, key, err);

	cx_mem_wipe(key, sizeof key);
	return result;
}

static int change(struct cx_ring *ring, const char *kid,
                  enum cx_ring_state to, struct cx_err *err)
{
	struct cx_ring_entry *entry = find(ring, kid);

	if (!entry)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the ring has no such key; cx-seal key list "
		                  "shows what it has");
	if (entry->state == CX_RING_RETIRED && to != CX_RING_RETIRED)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the key %s is retired for good; make "
		                  "another with cx-seal key new", entry->kid);
	if (to == CX_RING_ACTIVE && check_key(ring, entry, err) < 0)
		return -1;
	for (size_t i = 0; to == CX_RING_ACTIVE && i < ring->count; i++)
		if (ring->entry[i].purpose == entry->purpose &&
		    ring->entry[i].state == CX_RING_ACTIVE)
			ring->entry[i].state = CX_RING_VERIFY_ONLY;
	entry->state = to;
	return 0;
}

int cx_key_change(const struct cx_state *state, const char *kid,
                  enum cx_ring_state to, struct cx_err *err)
{
	CX_AUTO_FD int keys_fd = -1;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;

	if (lock(state, &keys_fd, err) < 0 ||
	    cx_ring_load(state, &ring, err) < 0 ||
	    change(&ring, kid, to, err) < 0)
		return -1;
	return save(keys_fd, &ring, err);
}

static int read_instance(const struct cx_state *state,
                         char ret[CX_KEY_INSTANCE_MAX + 1], ssize_t *ret_size,
                         struct cx_err *err)
{
	CX_AUTO_FD int fd = openat(state->fd, INSTANCE, O_RDONLY | O_NOFOLLOW |
	                           O_NONBLOCK | O_CLOEXEC);
	struct stat found;

	if (fd < 0 && errno == ENOENT)
		return cx_err_set(err, CX_E_KEY_MISSING,
		                  "%s/%s isn't there, so no carrier is this "
		                  "instance's; put it back, or make another "
		                  "with cx-seal key new",
		                  state->path, INSTANCE);
	if (fd < 0)
		return cx_err_sys(err, CX_E_KEY_PERMISSIONS, "open %s",
		                  INSTANCE);
	if (fstat(fd, &found) < 0 || !cx_fd_is_ours(&found))
		return cx_err_set(err, CX_E_KEY_PERMISSIONS,
		                  "%s/%s isn't ours alone to write; chown it "
		                  "to us and chmod 600 it", state->path,
		                  INSTANCE);
	*ret_size = cx_fd_read(fd, ret, CX_KEY_INSTANCE_MAX + 1);
	if (*ret_size < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read %s", INSTANCE);
	return 0;
}

int cx_key_instance(const struct cx_state *state,
                    char ret_id[CX_KEY_INSTANCE_MAX], struct cx_err *err)
{
	char text[CX_KEY_INSTANCE_MAX + 1];
	uint8_t byte[16];
	ssize_t size;

	if (read_instance(state, text, &size, err) < 0)
		return -1;
	if (size == 33 && text[32] == '\n') {
		text[32] = '\0';
		if (cx_hex_read(text, byte, sizeof byte)) {
			memcpy(ret_id, text, CX_KEY_INSTANCE_MAX);
			return 0;
		}
	}
	return cx_err_set(err, CX_E_KEY_INVALID,
	                  "%s/%s isn't 32 hexadecimal digits and a line end",
	                  state->path, INSTANCE);
}
