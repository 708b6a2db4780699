/* address.c - see address.h. */
#include "store/address.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/digest.h"

enum { ORG_DIGITS = 32, KEY_DIGITS = 64 };

#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789"

static void hash_name(const char *text, size_t digits, char *ret)
{
	struct cx_digest digest;

	cx_digest_of(text, strlen(text), &digest);
	cx_hex_write(digest.byte, digits / 2, ret);
}

bool cx_address_is_name(const char *name)
{
	return strlen(name) < CX_ADDRESS_NAME_MAX &&
	       cx_str_only(name, LETTERS "._-") && !strchr("._-", name[0]);
}

static bool is_job_id(const char *id)
{
	return cx_str_starts(id, "j-") && cx_str_only(id, LETTERS "-") &&
	       strlen(id) < CX_ADDRESS_KEY_MAX;
}

static void hash_key(const char *kind, const char *text,
                     char ret_key[CX_ADDRESS_KEY_MAX])
{
	memcpy(ret_key, kind, 2);
	hash_name(text, KEY_DIGITS, ret_key + 2);
}

static int key_of_name(const char *name, char ret_key[CX_ADDRESS_KEY_MAX],
                       struct cx_err *err)
{
	if (!CX_PROMISE(workspace_name, cx_address_is_name(name)))
		return cx_err_set(err, CX_E_UNSAFE_VOLUME_NAME,
		                  "a workspace's name is 1 to 63 of a-z, 0-9, "
		                  "\".\", \"_\" and \"-\", and begins with a "
		                  "letter or a digit");
	hash_key("n-", name, ret_key);
	return 0;
}

int cx_address_key(const struct cx_volume_owner *owner,
                   char ret_key[CX_ADDRESS_KEY_MAX], struct cx_err *err)
{
	if (owner->name)
		return key_of_name(owner->name, ret_key, err);
	if (owner->run_id) {
		hash_key("r-", owner->run_id, ret_key);
		return 0;
	}
	if (!CX_PROMISE(volume_name, is_job_id(owner->job_id)))
		return cx_err_set(err, CX_E_UNSAFE_VOLUME_NAME,
		                  "a job's id is \"j-\" and letters a-z, "
		                  "digits and hyphens");
	snprintf(ret_key, CX_ADDRESS_KEY_MAX, "%s", owner->job_id);
	return 0;
}

int cx_address_org(const struct cx_state *state, const char *org_id, bool make,
                   int *ret_fd, struct cx_err *err)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	                         O_CLOEXEC;
	CX_AUTO_FD int ws = -1;
	char name[ORG_DIGITS + 1];

	hash_name(org_id, ORG_DIGITS, name);
	if ((make ? cx_state_folder : cx_state_peek)(state, CX_STATE_WS, &ws,
	                                             err) < 0)
		return -1;
	*ret_fd = -1;
	if (ws < 0)
		return 0;
	*ret_fd = openat(ws, name, flags);
	if (*ret_fd < 0 && make && errno == ENOENT) {
		if (mkdirat(ws, name, 0700) == 0 || errno == EEXIST)
			*ret_fd = openat(ws, name, flags);
	}
	if (*ret_fd < 0 && (make || errno != ENOENT))
		return cx_err_sys(err, CX_E_IO_ERROR, "open volumes/ws/%s",
		                  name);
	return 0;
}
