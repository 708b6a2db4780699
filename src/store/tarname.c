/* tarname.c - see tarname.h. */
#include "store/tarname.h"

#include "base/path.h"
#include "base/str.h"

#define WHITEOUT ".wh."
#define AUFS ".wh..wh."
#define OPAQUE ".wh..wh..opq"

bool cx_tarname_plain(const char *name, char ret[CX_TARNAME_MAX])
{
	size_t used = 0;

	if (name[0] == '/' || name[0] == '\0')
		return false;
	while (*name) {
		size_t length = strcspn(name, "/");

		if (length == 2 && name[0] == '.' && name[1] == '.')
			return false;
		if (length > 255 || used + length + 2 > CX_TARNAME_MAX)
			return false;
		if (length > 0 && !(length == 1 && name[0] == '.')) {
			if (used)
				ret[used++] = '/';
			memcpy(ret + used, name, length);
			used += length;
		}
		name += length;
		name += strspn(name, "/");
	}
	ret[used] = '\0';
	return true;
}

bool cx_tarname_link_stays(const char *path, const char *target)
{
	size_t depth = 0;

	if (target[0] == '\0' || strlen(target) >= CX_TARNAME_MAX)
		return false;
	for (const char *at = path; target[0] != '/' && *at; at++)
		depth += *at == '/';
	while (*target) {
		size_t length = strcspn(target, "/");

		if (length == 2 && target[0] == '.' && target[1] == '.') {
			if (depth == 0)
				return false;
			depth--;
		} else if (length > 0 && !(length == 1 && target[0] == '.')) {
			depth++;
		}
		target += length;
		target += strspn(target, "/");
	}
	return true;
}

enum cx_tarname_mark cx_tarname_mark(const char *path,
                                     char ret[CX_TARNAME_MAX])
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t folder = (size_t)(name - path);

	if (!cx_str_starts(name, WHITEOUT))
		return CX_TARNAME_PLAIN;
	memcpy(ret, path, folder);
	if (cx_str_same(name, OPAQUE)) {
		ret[folder ? folder - 1 : 0] = '\0';
		return CX_TARNAME_OPAQUE;
	}
	if (cx_str_starts(name, AUFS))
		return CX_TARNAME_AUFS;
	name += sizeof WHITEOUT - 1;
	if (!cx_path_name(name))
		return CX_TARNAME_FAULTY;
	memcpy(ret + folder, name, strlen(name) + 1);
	return CX_TARNAME_WHITEOUT;
}

bool cx_tarname_xattr_is_hostile(const char *name)
{
	return cx_str_starts(name, "trusted.") ||
	       cx_str_starts(name, "user.overlay.") ||
	       cx_str_starts(name, "user.cx.");
}
