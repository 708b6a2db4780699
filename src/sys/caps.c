/* caps.c - see caps.h. */
#include "sys/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/promise.h"

/* Uid 0 gains nothing by exec or setuid, and none of it can be undone. */
#define SHUT (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | \
              SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED | \
              SECBIT_KEEP_CAPS_LOCKED | \
              SECBIT_NO_CAP_AMBIENT_RAISE | \
              SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

int cx_caps_no_new_privs(void)
{
	return CX_PROMISE(privileges_are_final,
	                  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) ? 0 : -1;
}

/* The kernel may know more capabilities than this header: until EINVAL. */
static int drop_bounding(void)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return cap > 0 && errno == EINVAL ? 0 : -1;
	return 0;
}

static int empty_four(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_capset, &head, none);
}

static int empty_all(void)
{
	if (prctl(PR_SET_SECUREBITS, SHUT, 0, 0, 0) < 0 ||
	    drop_bounding() < 0)
		return -1;
	return empty_four();
}

int cx_caps_drop(void)
{
	return CX_PROMISE(capabilities_are_empty, empty_all() == 0) ? 0 : -1;
}

int cx_caps_resign(void)
{
	if (prctl(PR_SET_SECUREBITS, SHUT, 0, 0, 0) < 0)
		return errno == EPERM ? empty_four() : -1;
	return cx_caps_drop();
}

/* The ambient set lies within permitted and inheritable: empty with them. */
bool cx_caps_resigned(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct has[2] = { 0 };

	if (syscall(SYS_capget, &head, has) < 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (has[i].effective || has[i].permitted || has[i].inheritable)
			return false;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

bool cx_caps_none(void)
{
	for (unsigned long cap = 0; cap < 64; cap++) {
		int in = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

		if (in < 0)
			break;
		if (in > 0)
			return false;
	}
	return cx_caps_resigned();
}
