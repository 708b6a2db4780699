/* tarname.h - which names an archive may use. Pure; no file is touched. */
#ifndef CX_STORE_TARNAME_H
#define CX_STORE_TARNAME_H

#include <stdbool.h>
#include <stddef.h>

enum { CX_TARNAME_MAX = 4096 };

/*
 * The plain form of an entry's name: no leading "./", no "." part, no double
 * or final slash; "" is the root itself. false for what no archive may name:
 * an absolute path, one with "..", one that is too long, or nothing at all.
 */
bool cx_tarname_plain(const char *name, char ret[CX_TARNAME_MAX]);

/*
 * Whether a symbolic link at path (plain) stays inside when it is read from
 * its own place: an absolute target does, from the root on; ".." may not climb
 * above it.
 */
bool cx_tarname_link_stays(const char *path, const char *target);

enum cx_tarname_mark {
	CX_TARNAME_PLAIN,
	CX_TARNAME_WHITEOUT, /* ".wh.NAME": NAME isn't there */
	CX_TARNAME_OPAQUE,   /* ".wh..wh..opq": nothing from below is */
	CX_TARNAME_AUFS,     /* other ".wh..wh." names, of no meaning here */
	CX_TARNAME_FAULTY,   /* ".wh." of nothing, or of "." or ".." */
};

/* What a plain name says about lower layers. For a whiteout, and for an opaque
 * mark, ret is the path that it speaks of. */
enum cx_tarname_mark cx_tarname_mark(const char *path,
                                     char ret[CX_TARNAME_MAX]);

/* An extended attribute that would change what overlayfs or we believe. */
bool cx_tarname_xattr_is_hostile(const char *name);

#endif
