/* integrity.h - subresource integrity as npm writes it: "sha512-<base64>". */
#ifndef CX_DATA_INTEGRITY_H
#define CX_DATA_INTEGRITY_H

#include <stdbool.h>

#include "base/err.h"

/* "sha512-" and 64 bytes in padded base64; nothing else is taken. */
bool cx_integrity_well_formed(const char *text);

/* Whether the whole file, from its start, hashes to text; digest_mismatch when
 * it doesn't. what names it in the message. */
int cx_integrity_check(int fd, const char *text, const char *what,
                       struct cx_err *err);

#endif
